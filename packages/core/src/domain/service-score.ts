import type { ProductInput } from "./product.ts";

export type ScoredProduct = Pick<
  ProductInput,
  | "averageRating"
  | "availability"
  | "brand"
  | "description"
  | "images"
  | "isVerified"
  | "priceMinor"
  | "originalPriceMinor"
> & {
  discountVal: number;
  /** Whether there is anything to check a claimed discount against. */
  hasEarlierPrice: boolean;
};

const availabilityPoints = { in_stock: 10, preorder: 5, backorder: 5, out_of_stock: 0 } as const;

/**
 * The quality score, 0–100 with one decimal. `ServiceScore` in the spec documents the formula for partners. The rating
 * has the largest part, because it is the only judgement that comes from buyers; without one it counts half, since a
 * new product is neither good nor bad. Promotion never counts: a score that can be bought is worthless. It only breaks
 * ties of relevance.
 */
export function serviceScore(product: ScoredProduct): number {
  const points =
    (35 * (product.averageRating ?? 2.5)) / 5 +
    25 * honesty(product) +
    completeness(product) +
    (product.isVerified === true ? 10 : 0) +
    availabilityPoints[product.availability];
  return Math.round(points * 10) / 10;
}

/**
 * 1 without a claim or if the claim is true, 0.5 if it cannot be checked yet, else the share of the claim that is
 * true.
 */
function honesty({
  priceMinor,
  originalPriceMinor = 0,
  discountVal,
  hasEarlierPrice,
}: ScoredProduct): number {
  if (originalPriceMinor <= priceMinor) return 1;
  if (!hasEarlierPrice) return 0.5;
  const claimedPercent = (100 * (originalPriceMinor - priceMinor)) / originalPriceMinor;
  return Math.min(1, discountVal / claimedPercent);
}

function completeness({ brand, description, images }: ScoredProduct): number {
  const present = [brand !== undefined, description.trim() !== "", images.length >= 1, images.length >= 3];
  return 5 * present.filter(Boolean).length;
}

/** The rating of a product that nobody has rated, and what twice the price costs in stars. */
const assumedRating = 3.5;
const starsPerDoubledPrice = 0.2;

interface Offer {
  rating?: number;
  priceMinor: number;
}

/** How good a choice a product is among others of its kind: its rating, less what its price is worth in stars. */
export function starsForPrice({ rating, priceMinor }: Offer): number {
  return (rating ?? assumedRating) - starsPerDoubledPrice * Math.log2(Math.max(1, priceMinor));
}

/** Cheaper and at least as well rated. */
export function beats(offer: Offer, other: Offer): boolean {
  return offer.priceMinor < other.priceMinor && (offer.rating ?? 0) >= (other.rating ?? 0);
}
