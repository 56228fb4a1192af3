import {
  type Filter,
  type NameFilter,
  type NumberFilter,
  readClauses,
  refusal,
  type SearchParameters,
} from "./filters.js";

/** A search of `POST /search/batch`. */
export interface CatalogSearch {
  q?: string;
  count?: number;
  page?: number;
  sort?: string;
  order?: string;
  grouped?: boolean;
  include?: string[];
  facets?: string[];
  facetQuery?: string;
  maxFacetValues?: number;
  relatedCount?: number;
  [filter: string]: unknown;
}

/**
 * Filters as the service takes them. `own` is the facet that ignores them in the service's response; none does if it is
 * empty.
 */
export interface FilterPart {
  own: string;
  parameter: string;
  value: unknown;
  /** Of names: a product has one of them. */
  names?: readonly NameFilter[];
  /** Of numbers. */
  least?: number;
  greatest?: number;
}

interface NamedField {
  facet: string;
  parameter: string;
  exclusion?: string;
  /** Whether a product has one value at most. */
  isSingle?: boolean;
}

const categories = { parameter: "categories", exclusion: "notCategories" };
const namedFields = new Map<string, NamedField>([
  ["brand", { facet: "brands", parameter: "brands", exclusion: "notBrands", isSingle: true }],
  ["category", { facet: "categories", ...categories }],
  ["storeName", { facet: "stores", parameter: "stores", exclusion: "notStores", isSingle: true }],
  ["availability", { facet: "availability", parameter: "availability", isSingle: true }],
  ["onSale", { facet: "onSale", parameter: "onSale", isSingle: true }],
]);
export const fieldsWithFacets = [...namedFields.keys(), "price", "averageRating"];
export const availabilities = ["in_stock", "out_of_stock", "preorder", "backorder"];

/** The levels of a hierarchical menu: `categoryPaths.lvl0` and so on. */
export const treePrefix = "categoryPaths.lvl";
export const attributePrefix = "attributes.";

function namedField(field: string): NamedField | undefined {
  if (field.startsWith(treePrefix)) return { facet: "categoryPaths", ...categories };
  if (field.startsWith(attributePrefix))
    return { facet: field, parameter: "attributes", exclusion: "notAttributes" };
  return namedFields.get(field);
}

/** The facet of the service that has the values of a field. */
export function facetOf(field: string): string {
  if (field === "price") return "price";
  if (field === "averageRating") return "rating";
  const { facet } = namedField(field) ?? {};
  if (facet !== undefined) return facet;
  throw unknown(field);
}

function unknown(field: string): Error {
  return refusal(
    `The field "${field}"`,
    "use brand, category, categoryPaths.lvl0 to lvl7, storeName, availability, onSale, attributes.NAME, price or averageRating",
  );
}

/** Which filters the facet of a field ignores. */
export function ownOf(field: string): string {
  const { parameter = facetOf(field) } = namedField(field) ?? {};
  return parameter === "attributes" ? fold(field) : parameter;
}

export function fold(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The filters of a query; undefined if they contradict each other, so that no product matches. */
export function readFilters(parameters: SearchParameters): FilterPart[] | undefined {
  const parts: FilterPart[] = [];
  const choices = new Map<string, readonly NameFilter[]>();
  const intervals = new Map<string, Interval>();
  for (const clause of readClauses(parameters)) {
    const [first, ...others] = clause;
    if (first === undefined) continue;
    if (!isName(first)) {
      if (others.length > 0) throw unsupported(clause, "OR");
      intervals.set(first.field, narrowed(intervals.get(first.field), first));
      continue;
    }
    const { parameter, exclusion } = fieldOf(first);
    if (first.isExcluded && others.length === 0 && exclusion !== undefined) {
      parts.push({ own: "", parameter: exclusion, value: [entryOf(first)] });
      continue;
    }
    const choice = first.isExcluded && parameter === "availability" ? otherAvailabilities(first) : clause;
    const own = ownOf(first.field);
    if (!choice.every((one): one is NameFilter => isName(one) && !one.isExcluded && ownOf(one.field) === own))
      throw unsupported(clause, "OR");
    const all = bothOf(choices.get(own) ?? choice, choice);
    if (all.length === 0) return undefined;
    choices.set(own, all);
  }
  for (const [own, names] of choices) {
    const [name] = names;
    const parameter = name && fieldOf(name).parameter;
    const isTrue = names.every(({ value }) => value === "true");
    if (parameter === "onSale" && !isTrue) throw unsupported(names, "OR");
    if (parameter) parts.push({ own, parameter, value: parameter === "onSale" || names.map(entryOf), names });
  }
  for (const [field, interval] of intervals) {
    const part = partOf(field, interval);
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

function isName(filter: Filter): filter is NameFilter {
  return "isExcluded" in filter;
}

function fieldOf({ field }: NameFilter): NamedField {
  const named = namedField(field);
  if (named) return named;
  throw unknown(field);
}

function unsupported(filters: readonly Filter[], joint: string): Error {
  const texts = filters.map((one) =>
    isName(one)
      ? `${one.field}:${one.isExcluded ? "-" : ""}${one.value}`
      : one.field + one.operator + one.value,
  );
  return refusal(
    `"${texts.join(` ${joint} `)}"`,
    "the service finds one of several values of a field, or one range",
  );
}

function otherAvailabilities({ field, value }: NameFilter): NameFilter[] {
  const others = availabilities.filter((one) => one !== fold(value));
  return others.map((one) => ({ field, value: one, isExcluded: false }));
}

/** The service finds products with one of several values; two choices can be required where one implies the other. */
function bothOf(names: readonly NameFilter[], choice: readonly NameFilter[]): readonly NameFilter[] {
  if (implies(names, choice)) return names;
  if (implies(choice, names)) return choice;
  if (names.some((name) => !fieldOf(name).isSingle)) throw unsupported([...names, ...choice], "AND");
  return names.filter((name) => implies([name], choice));
}

/** Whether each product with one of `names` has one of `choice`, too. */
export function implies(names: readonly NameFilter[], choice: readonly NameFilter[]): boolean {
  return names.every((name) => choice.some((one) => isWithin(name, one)));
}

function isWithin(one: NameFilter, other: NameFilter): boolean {
  const [inner, outer] = [fold(one.value), fold(other.value)];
  if (inner === outer) return true;
  if (ownOf(one.field) !== "categories") return false;
  return inner.startsWith(`${outer} > `) || inner.split(" > ").includes(outer);
}

/** In attributes, the first colon ends the name. */
function entryOf({ field, value }: NameFilter): string {
  if (!field.startsWith(attributePrefix)) return value;
  return `${escaped(field.slice(attributePrefix.length), "\\:")}:${value}`;
}

function escaped(text: string, characters: string): string {
  return [...text].map((one) => (characters.includes(one) ? `\\${one}` : one)).join("");
}

/** An interval, with the brackets of the service: a bound with a round one is left out. */
interface Interval {
  least: number;
  greatest: number;
  opening: "[" | "(";
  closing: "]" | ")";
}

const unbounded: Interval = {
  least: Number.NEGATIVE_INFINITY,
  greatest: Number.POSITIVE_INFINITY,
  opening: "[",
  closing: "]",
};

function narrowed(interval: Interval = unbounded, { operator, value }: NumberFilter): Interval {
  const narrow = { ...interval };
  if (!operator.startsWith("<") && (value > narrow.least || (value === narrow.least && operator === ">"))) {
    narrow.least = value;
    narrow.opening = operator === ">" ? "(" : "[";
  }
  if (
    !operator.startsWith(">") &&
    (value < narrow.greatest || (value === narrow.greatest && operator === "<"))
  ) {
    narrow.greatest = value;
    narrow.closing = operator === "<" ? ")" : "]";
  }
  return narrow;
}

const maxPrice = 999_999_999_999;
/** Less than ratings and discounts differ by, and enough to differ in single precision. */
const smallStep = 0.00001;

/** Undefined if nothing can be in the interval. */
function partOf(field: string, interval: Interval): FilterPart | undefined {
  const { least, greatest, opening, closing } = interval;
  if (field === "price" && least < 0) return partOf(field, { ...interval, least: 0, opening: "[" });
  if (least > greatest || (least === greatest && opening + closing !== "[]")) return undefined;
  const rangeOf = (from: string | number, to: string | number) => `${opening}${from},${to}${closing}`;
  if (field === "price")
    return {
      own: field,
      parameter: "priceRange",
      value: rangeOf(least, Math.min(greatest, maxPrice)),
      least,
      greatest,
    };
  if (field.startsWith(attributePrefix)) {
    const name = escaped(field.slice(attributePrefix.length), "\\:,");
    const value = `${name}:${rangeOf(decimal(least), decimal(greatest))}`;
    return { own: ownOf(field), parameter: "ranges", value, least, greatest };
  }
  const isRating = field === "averageRating";
  const best = isRating ? 5 : 100;
  if ((!isRating && field !== "discountVal") || greatest < best || (greatest === best && closing === ")"))
    throw refusal(
      `"${field}" here`,
      "compare price or attributes.NAME, or averageRating or discountVal with >=",
    );
  // Products without a rating count as 0, and no comparison finds them.
  const value = Math.max(opening === "(" ? least + smallStep : least, isRating ? smallStep : 0);
  if (value > best) return undefined;
  return { own: isRating ? "rating" : "", parameter: isRating ? "minRating" : "minDiscount", value, least };
}

function decimal(value: number): string {
  if (!Number.isFinite(value)) return "";
  return String(value).includes("e") ? value.toFixed(10) : String(value);
}

/** The parameters of a search for these filters. */
export function filterParameters(parts: readonly FilterPart[]): CatalogSearch {
  const search: CatalogSearch = {};
  for (const { parameter, value } of parts) {
    const given = search[parameter];
    if (given === undefined) search[parameter] = value;
    else search[parameter] = Array.isArray(given) ? given.concat(value) : `${given},${value}`;
  }
  return search;
}
