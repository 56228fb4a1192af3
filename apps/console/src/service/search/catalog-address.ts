import type { CatalogQuery, TrialQuery } from "@product-search/client";

/** What was typed into the two price fields: a range to search in, or what is wrong with it. */
type PriceRange =
  | { kind: "none" }
  | { kind: "range"; range: readonly [min: number, max: number] }
  | { kind: "wrong"; fault: string };

const noUpperBound = 1_000_000;

export function readPriceRange(least: string, most: string): PriceRange {
  const [min, max] = [readPrice(least), readPrice(most)];
  if (Number.isNaN(min) || Number.isNaN(max)) {
    return { kind: "wrong", fault: "Enter a number such as 20 or 19.99." };
  }
  if (min === undefined && max === undefined) return { kind: "none" };
  const range = [min ?? 0, max ?? Math.max(noUpperBound, min ?? 0)] as const;
  if (range[0] > range[1])
    return { kind: "wrong", fault: "The lowest price is higher than the highest price." };
  return { kind: "range", range };
}

/** Undefined for an empty field, NaN for what is no price. */
function readPrice(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text.trim().replace(",", "."));
  return value >= 0 ? value : Number.NaN;
}

type Sorting = Pick<TrialQuery, "sort" | "order">;

/** The orders that are worth a name of their own; the first is what a search without words about it gets. */
export const sortings: readonly [name: string, sorting: Sorting][] = [
  ["Best match", {}],
  ["Price, lowest first", { sort: "price:relevance" }],
  ["Price, highest first", { sort: "price:relevance", order: "desc" }],
  ["Best rated", { sort: "rating" }],
  ["Biggest discount", { sort: "discount" }],
];

/** Which of them the page's address means; the first when it names none. */
export function sortingIndex(sort: string, order: string): number {
  const index = sortings.findIndex(([, one]) => (one.sort ?? "") === sort && (one.order ?? "") === order);
  return Math.max(0, index);
}

/** A filter on an attribute as the page's address has it: `color:Black`, where a colon in the name is written `\:`. */
export function writeAttributeFilter(name: string, value: string): string {
  return `${name.replace(/[\\:]/g, "\\$&")}:${value}`;
}

/** Undefined for a text that is none. */
export function readAttributeFilter(text: string): { name: string; value: string } | undefined {
  const [, name = "", value = ""] = /^((?:\\.|[^\\:])+):(.+)$/s.exec(text) ?? [];
  return value.trim() === "" ? undefined : { name: name.replace(/\\(.)/g, "$1"), value };
}

/** Filters as a request has them: the values of each name. Texts that are none are left out. */
export function attributesByName(filters: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const text of filters) {
    const filter = readAttributeFilter(text);
    if (filter) values.set(filter.name, [...(values.get(filter.name) ?? []), filter.value]);
  }
  return Object.fromEntries(values);
}

/** A range of an attribute's numbers as the page's address has it: `capacity:1..2`; either bound may be left out. */
export function writeRangeFilter(name: string, min: string, max: string): string {
  return writeAttributeFilter(name, `${min.trim()}..${max.trim()}`);
}

/** Undefined for a text that is none. */
export function readRangeFilter(text: string): { name: string; min: string; max: string } | undefined {
  const { name = "", value = "" } = readAttributeFilter(text) ?? {};
  const [, min = "", max = ""] = /^(.*?)\.\.(.*)$/.exec(value) ?? [];
  const range = readRange(min, max);
  return range.kind === "range" ? { name, min, max } : undefined;
}

const noNumber = "Enter a number such as 20 or 1.5.";

/** What was typed into the two fields of an attribute. */
export function readRange(least: string, most: string): TypedRange {
  const [min, max] = [least, most].map((text) => text.trim().replace(",", "."));
  if ([min, max].some((text) => text !== "" && !/^[+-]?\d{1,15}(\.\d{1,10})?$/.test(text ?? "")))
    return { kind: "wrong", fault: noNumber };
  if (min === "" && max === "") return { kind: "none" };
  if (min !== "" && max !== "" && Number(min) > Number(max))
    return { kind: "wrong", fault: "The lowest number is higher than the highest." };
  return { kind: "range" };
}

export type TypedRange = { kind: "none" | "range" } | { kind: "wrong"; fault: string };

/** In the form of a request. */
function rangesByName(filters: readonly string[]): NonNullable<CatalogQuery["ranges"]> {
  const bound = (text: string) => (text === "" ? undefined : Number(text.replace(",", ".")));
  return Object.fromEntries(
    filters.flatMap((text) => {
      const range = readRangeFilter(text);
      return range ? [[range.name, [bound(range.min), bound(range.max)] as const]] : [];
    }),
  );
}

/** Whether all of the values are numbers, with or without a unit. Of the whole catalog's values, the service knows. */
export function areNumbers(entries: readonly { value: string }[]): boolean {
  return (
    entries.length > 0 &&
    entries.every(({ value }) => /^[+-]?\d[\d.,]*(?:\s*[^\d\s]\S{0,19})?$/.test(value.trim()))
  );
}

/** "age_group" as a title: "Age group". */
export function attributeTitle(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const letterSizes = ["xxs", "xs", "s", "m", "l", "xl", "xxl", "2xl", "3xl", "4xl", "5xl"];

/** Sizes and numbers in their own order; other values stay as they are, the most frequent first. */
export function inNaturalOrder<Entry extends { value: string }>(entries: readonly Entry[]): readonly Entry[] {
  const ranks = entries.map(({ value }) => rankOf(value));
  if (ranks.includes(undefined)) return entries;
  return entries
    .map((entry, index) => ({ entry, rank: ranks[index] ?? 0 }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}

/** Letters before numbers; undefined for a word. */
function rankOf(value: string): number | undefined {
  const letters = letterSizes.indexOf(value.toLowerCase());
  if (letters >= 0) return letters - letterSizes.length;
  const [number] = /^\d+(?:[.,]\d+)?/.exec(value) ?? [];
  return number === undefined ? undefined : Number(number.replace(",", "."));
}

/** A catalog search as the page's URL has it. Empty texts and lists mean "no filter". */
export interface CatalogAddress {
  q: string;
  brands: readonly string[];
  categories: readonly string[];
  stores: readonly string[];
  availability: readonly string[];
  /** Each as `writeAttributeFilter` writes it. */
  attributes: readonly string[];
  /** Each as `writeRangeFilter` writes it. */
  ranges: readonly string[];
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

export const listNames = ["brands", "categories", "stores", "availability", "attributes", "ranges"] as const;
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
    ranges: list("ranges"),
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
  ranges: [],
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
    ...(address.ranges.length > 0 && { ranges: rangesByName(address.ranges) }),
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
