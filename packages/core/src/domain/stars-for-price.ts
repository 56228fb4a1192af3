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
