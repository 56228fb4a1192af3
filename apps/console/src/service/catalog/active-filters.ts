import type { UnderstoodFilters } from "@product-search/client";
import { formatPercent, formatPrice } from "../money.ts";
import { type CatalogAddress, listNames } from "./catalog-address.ts";
import { readPriceRange } from "./price-range.ts";

export interface ActiveFilter {
  text: string;
  /** The search without this filter. */
  removed: Partial<CatalogAddress>;
}

const availabilityTexts: Readonly<Record<string, string>> = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Preorder",
  backorder: "Backorder",
};

/** The filters of the URL in words. */
export function activeFilters(address: CatalogAddress): ActiveFilter[] {
  const lists = listNames.flatMap((name) =>
    address[name].map((value) => ({
      text: name === "availability" ? (availabilityTexts[value] ?? value) : value,
      removed: { [name]: address[name].filter((one) => one !== value) },
    })),
  );
  const price = readPriceRange(address.min, address.max);
  return [
    ...lists,
    ...(price.kind === "none" ? [] : [{ text: priceText(address), removed: { min: "", max: "" } }]),
    ...(address.rating === "" ? [] : [{ text: `★ ${address.rating} and above`, removed: { rating: "" } }]),
    ...(address.discount === ""
      ? []
      : [{ text: discountText(Number(address.discount) || 0), removed: { discount: "" } }]),
  ];
}

export function discountText(percent: number): string {
  return `Discount of ${formatPercent(percent)} or more`;
}

function priceText({ min, max }: Pick<CatalogAddress, "min" | "max">): string {
  const price = readPriceRange(min, max);
  if (price.kind !== "range") return `Price ${min} to ${max}`;
  return rangeText(min === "" ? undefined : price.range[0], max === "" ? undefined : price.range[1]);
}

function rangeText(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `From ${formatPrice(least ?? 0)}`;
  return least === undefined ? `Up to ${formatPrice(most)}` : `${formatPrice(least)} to ${formatPrice(most)}`;
}

const orderTexts = {
  price: { asc: "lowest price first", desc: "highest price first" },
  rating: { asc: "lowest rating first", desc: "best rated first" },
};

/** The filters and the order that the service read from the text, in words. */
export function understoodTexts(understood: UnderstoodFilters): string[] {
  const { priceRange, minRating, without = [], brands = [], categories = [], sort, order } = understood;
  return [
    ...(priceRange ? [rangeText(priceRange.minPrice, priceRange.maxPrice)] : []),
    ...(minRating === undefined ? [] : [`★ ${minRating} and above`]),
    ...without.map((word) => `without ${word}`),
    ...brands,
    ...categories,
    ...(sort && order ? [orderTexts[sort][order]] : []),
  ];
}
