import type { UnderstoodFilters } from "@product-search/client";
import { formatPercent, formatPrice, formatPriceRange } from "../format.ts";
import {
  attributeTitle,
  type CatalogAddress,
  listNames,
  readAttributeFilter,
  readPriceRange,
  readRangeFilter,
} from "./catalog-address.ts";
import { categoryName } from "./category-tree.ts";

export interface ActiveFilter {
  /** Two filters may have the same text: categories of one name in different places. */
  id: string;
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

function filterText(name: (typeof listNames)[number], value: string): string {
  if (name === "availability") return availabilityTexts[value] ?? value;
  if (name === "categories") return categoryName(value);
  if (name === "ranges") {
    const range = readRangeFilter(value);
    return range ? `${attributeTitle(range.name)}: ${numbersText(range)}` : value;
  }
  if (name !== "attributes") return value;
  const filter = readAttributeFilter(value);
  return filter ? `${attributeTitle(filter.name)}: ${filter.value}` : value;
}

function numbersText({ min, max }: { min: string; max: string }): string {
  if (max === "") return `from ${min}`;
  return min === "" ? `up to ${max}` : `${min} to ${max}`;
}

/** The filters of the URL in words. */
export function activeFilters(address: CatalogAddress): ActiveFilter[] {
  const lists = listNames.flatMap((name) =>
    address[name].map((value) => ({
      id: `${name} ${value}`,
      text: filterText(name, value),
      removed: { [name]: address[name].filter((one) => one !== value) },
    })),
  );
  const price = readPriceRange(address.min, address.max);
  return [
    ...lists,
    ...(price.kind === "none"
      ? []
      : [{ id: "price", text: priceText(address), removed: { min: "", max: "" } }]),
    ...(address.rating === ""
      ? []
      : [{ id: "rating", text: `★ ${address.rating} and above`, removed: { rating: "" } }]),
    ...(address.discount === ""
      ? []
      : [{ id: "discount", text: discountText(Number(address.discount) || 0), removed: { discount: "" } }]),
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
  return least === undefined ? `Up to ${formatPrice(most)}` : formatPriceRange(least, most);
}

/** The best of the kinds that were chosen by meaning. */
const maxKinds = 3;

const orderTexts = {
  price: { asc: "lowest price first", desc: "highest price first" },
  rating: { asc: "lowest rating first", desc: "best rated first" },
};

/** The filters and the order that the service read from the text, in words. */
export function understoodTexts(understood: UnderstoodFilters): string[] {
  const { priceRange, minRating, without = [], brands = [], categories = [], kinds = [] } = understood;
  const { sort, order } = understood;
  return [
    ...(priceRange ? [rangeText(priceRange.minPrice, priceRange.maxPrice)] : []),
    ...(minRating === undefined ? [] : [`★ ${minRating} and above`]),
    ...without.map((word) => `without ${word}`),
    ...brands,
    ...categories,
    ...(kinds.length === 0 ? [] : [kinds.slice(0, maxKinds).join(" or ")]),
    ...(sort && order ? [orderTexts[sort][order]] : []),
  ];
}
