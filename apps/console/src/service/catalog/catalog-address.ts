import type { CatalogQuery } from "@product-search/client";
import { attributesByName } from "./attribute-filter.ts";
import { readPriceRange } from "./price-range.ts";
import { sortingIndex, sortings } from "./sortings.ts";

/** A catalog search as the page's URL has it. Empty texts and lists mean "no filter". */
export interface CatalogAddress {
  q: string;
  brands: readonly string[];
  categories: readonly string[];
  stores: readonly string[];
  availability: readonly string[];
  /** Each as `writeAttributeFilter` writes it. */
  attributes: readonly string[];
  min: string;
  max: string;
  rating: string;
  discount: string;
  sort: string;
  order: string;
  /** "1" where the words of `q` are searched as text and no filters are read from them. */
  literal: string;
  page: number;
}

export const listNames = ["brands", "categories", "stores", "availability", "attributes"] as const;
const textNames = ["q", "min", "max", "rating", "discount", "sort", "order", "literal"] as const;

export const resultsPerPage = 30;
/** The service's own limit: `page × count` of a search. */
const maxResults = 10_000;

export function readCatalogAddress(parameters: URLSearchParams): CatalogAddress {
  const text = (name: string) => parameters.get(name) ?? "";
  // "brands=" is no brand.
  const list = (name: string) => parameters.getAll(name).filter((value) => value.trim() !== "");
  const page = Number(text("page"));
  return {
    q: text("q"),
    brands: list("brands"),
    categories: list("categories"),
    stores: list("stores"),
    availability: list("availability"),
    attributes: list("attributes"),
    min: text("min"),
    max: text("max"),
    rating: text("rating"),
    discount: text("discount"),
    sort: text("sort"),
    order: text("order"),
    literal: text("literal"),
    page: Number.isInteger(page) && page > 1 && page <= pageLimit ? page : 1,
  };
}

/** The other way round; what is empty is left out. */
export function writeCatalogAddress(address: CatalogAddress): string {
  const parameters = new URLSearchParams();
  for (const name of textNames) if (address[name] !== "") parameters.set(name, address[name]);
  for (const name of listNames) for (const value of address[name]) parameters.append(name, value);
  if (address.page > 1) parameters.set("page", String(address.page));
  const text = parameters.toString();
  return text === "" ? "/" : `/?${text}`;
}

const pageLimit = Math.floor(maxResults / resultsPerPage);

/** How many pages can be opened of so many results. */
export function pageCount(results: number): number {
  return Math.max(1, Math.min(pageLimit, Math.ceil(results / resultsPerPage)));
}

export const noFilters = {
  brands: [],
  categories: [],
  stores: [],
  availability: [],
  attributes: [],
  min: "",
  max: "",
  rating: "",
  discount: "",
} satisfies Partial<CatalogAddress>;

export function hasFilters(address: CatalogAddress): boolean {
  return (Object.keys(noFilters) as (keyof typeof noFilters)[]).some((name) => address[name].length > 0);
}

const facets = ["categoryPaths", "brands", "stores", "price", "rating", "attributes"] as const;

/** What the service is asked; undefined where the URL asks for nothing. */
export function toCatalogQuery(address: CatalogAddress): CatalogQuery | undefined {
  const { q, brands, categories, stores } = address;
  const price = readPriceRange(address.min, address.max);
  if ((q.trim() === "" && !hasFilters(address)) || price.kind === "wrong") return undefined;
  const availability = allAvailabilities.filter((one) => address.availability.includes(one));
  return {
    ...(q.trim() !== "" && { q: q.slice(0, 512) }),
    ...(price.kind === "range" && { priceRange: price.range }),
    ...(brands.length > 0 && { brands }),
    ...(categories.length > 0 && { categories }),
    ...(stores.length > 0 && { stores }),
    ...(availability.length > 0 && { availability }),
    ...(address.attributes.length > 0 && { attributes: attributesByName(address.attributes) }),
    ...numberWithin("minRating", address.rating, 5),
    ...numberWithin("minDiscount", address.discount, 100),
    ...(address.literal === "1" && { literal: true }),
    ...sortings[sortingIndex(address.sort, address.order)]?.[1],
    page: address.page,
    count: resultsPerPage,
    grouped: true,
    include: ["variants"],
    facets,
  };
}

const allAvailabilities = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;

function numberWithin<Name extends string>(
  name: Name,
  text: string,
  most: number,
): { [key in Name]?: number } {
  const value = Number(text);
  if (text === "" || !(value >= 0 && value <= most)) return {};
  return { [name]: value } as { [key in Name]?: number };
}
