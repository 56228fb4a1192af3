/** What InstantSearch sends with a query. Other parameters, such as `highlightPreTag`, are read where they matter. */
export interface SearchParameters {
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string | readonly string[];
  facetFilters?: readonly (string | readonly string[])[];
  numericFilters?: readonly (string | readonly string[])[];
  filters?: string;
  highlightPreTag?: string;
  highlightPostTag?: string;
}

/** The fields of products that can be filtered, as facets of the service and as parameters. */
const namedFacets: Readonly<Record<string, { facet: string; parameter: string }>> = {
  brand: { facet: "brands", parameter: "brands" },
  category: { facet: "categories", parameter: "categories" },
  storeName: { facet: "stores", parameter: "stores" },
  availability: { facet: "availability", parameter: "availability" },
  onSale: { facet: "onSale", parameter: "onSale" },
};
/** The levels of a hierarchical menu: `categoryPaths.lvl0` and so on. */
const level = /^categoryPaths\.lvl(\d)$/;
const attributePrefix = "attributes.";

/** The facet of the service that has the values of a field. */
export function facetOf(field: string): string {
  if (field === "price") return "price";
  if (field === "averageRating") return "rating";
  if (level.test(field)) return "categoryPaths";
  if (field.startsWith(attributePrefix)) return field;
  const known = namedFacets[field];
  if (known) return known.facet;
  throw new Error(
    `"${field}" cannot be a facet. Use brand, category, categoryPaths.lvl0 to lvl7, storeName, availability, onSale, price, averageRating or attributes.NAME.`,
  );
}

/** The level of a field of a hierarchical menu. */
export function levelOf(field: string): number | undefined {
  const [, digit] = level.exec(field) ?? [];
  return digit === undefined ? undefined : Number(digit);
}

export function facetsOf({ facets = [] }: SearchParameters): string[] {
  const fields = typeof facets === "string" ? facets.split(",") : facets;
  return fields.map((field) => field.trim()).filter((field) => field !== "" && field !== "*");
}

export const defaultHitsPerPage = 20;
const maxHitsPerPage = 250;
/** `page × count` that the service allows. */
export const lastHit = 10_000;

/** The size of a page that the service can send; a request for facets alone still asks for one hit. */
export function countOf({ hitsPerPage = defaultHitsPerPage }: SearchParameters): number {
  return Math.min(Math.max(hitsPerPage, 1), maxHitsPerPage);
}

/** The parameters of `GET /search/catalog` for a query of InstantSearch. */
export function toCatalogQuery(
  indexName: string,
  parameters: SearchParameters,
  facets: ReadonlySet<string>,
  isGrouped = false,
): URLSearchParams {
  const { query = "", page = 0, filters = "" } = parameters;
  if (filters !== "") {
    throw new Error('The parameter "filters" is not supported. Use facetFilters and numericFilters.');
  }
  const search = new URLSearchParams();
  if (query.trim() !== "") {
    search.set("q", [...query].slice(0, 512).join(""));
  }
  const include = [...(query.trim() === "" ? [] : ["highlights"]), ...(isGrouped ? ["variants"] : [])];
  if (include.length > 0) search.set("include", include.join(","));
  if (isGrouped) search.set("grouped", "true");
  search.set("count", String(countOf(parameters)));
  search.set("page", String(page + 1));
  // The name of an index may end in a sort: `products/price/asc`.
  const [, sort, order] = indexName.split("/");
  if (sort) search.set("sort", sort);
  if (order) search.set("order", order);
  setNames(search, parameters);
  setNumbers(search, parameters);
  if (facets.size > 0) search.set("facets", [...facets].join(","));
  // Everything: the service wants a word or a filter.
  if (!hasFilter(search)) search.set("availability", "in_stock,out_of_stock,preorder,backorder");
  return search;
}

const noFilter: ReadonlySet<string> = new Set([
  "count",
  "page",
  "sort",
  "order",
  "facets",
  "include",
  "grouped",
]);

function hasFilter(search: URLSearchParams): boolean {
  return [...search.keys()].some((name) => !noFilter.has(name));
}

function setNames(search: URLSearchParams, { facetFilters = [] }: SearchParameters): void {
  const lists = new Map<string, Set<string>>();
  for (const filter of facetFilters.flat()) {
    const at = filter.indexOf(":");
    const [field, value] = [filter.slice(0, at), filter.slice(at + 1)];
    const [parameter, entry] = value.startsWith("-")
      ? excluded(filter, toParameter(field, value.slice(1)))
      : toParameter(field, unescapeValue(value));
    const values = lists.get(parameter) ?? new Set();
    lists.set(parameter, values.add(entry));
  }
  for (const [parameter, values] of lists) search.set(parameter, [...values].join(","));
}

function excluded(filter: string, [parameter, entry]: [parameter: string, entry: string]): [string, string] {
  const opposite = exclusions[parameter];
  if (opposite === undefined) throw new Error(`"${filter}": values of this field cannot be excluded.`);
  return [opposite, entry];
}

const exclusions: Readonly<Record<string, string>> = {
  brands: "notBrands",
  categories: "notCategories",
  stores: "notStores",
  attributes: "notAttributes",
};

/** The helper writes a value that begins with a minus with a backslash before it. */
function unescapeValue(value: string): string {
  return value.startsWith("\\-") ? value.slice(1) : value;
}

function toParameter(field: string, value: string): [parameter: string, entry: string] {
  if (levelOf(field) !== undefined) return ["categories", escapeValue(value)];
  if (field.startsWith(attributePrefix)) {
    const name = field.slice(attributePrefix.length);
    return ["attributes", `${escapeValue(name, ":")}:${escapeValue(value, ":")}`];
  }
  const known = namedFacets[field];
  if (known) return [known.parameter, escapeValue(value)];
  throw new Error(
    `"${field}" cannot be a filter. Use brand, category, categoryPaths.lvl0 to lvl7, storeName, availability, onSale or attributes.NAME.`,
  );
}

/** In lists of the service a comma separates, in attributes a colon, too. */
function escapeValue(value: string, alsoEscaped = ""): string {
  return [...value]
    .map((character) => (`\\,${alsoEscaped}`.includes(character) ? `\\${character}` : character))
    .join("");
}

const comparison = /^\s*(.+?)\s*(<=|>=|<|>|=)\s*(-?[\d.]+)\s*$/;
const maxPrice = 999_999_999_999;

function setNumbers(search: URLSearchParams, { numericFilters = [] }: SearchParameters): void {
  let [least, greatest] = [0, maxPrice];
  const ranges = new Map<string, Range>();
  for (const filter of numericFilters.flat()) {
    const [, field, operator, digits] = comparison.exec(filter) ?? [];
    const value = Number(digits);
    if (field === "price" && operator !== undefined) {
      if (operator.startsWith(">") || operator === "=") least = Math.max(least, value);
      if (operator.startsWith("<") || operator === "=") greatest = Math.min(greatest, value);
    } else if (field?.startsWith(attributePrefix) && operator !== undefined) {
      const name = field.slice(attributePrefix.length);
      ranges.set(name, narrowed(ranges.get(name), operator, value));
    } else if (field === "averageRating" && operator === ">=") search.set("minRating", String(value));
    // A menu of ratings also sends the best possible rating as the upper bound.
    else if (!(field === "averageRating" && operator === "<=" && value >= 5)) {
      throw new Error(`"${filter}": compare price, attributes.NAME, or averageRating with >=.`);
    }
  }
  if (ranges.size > 0) search.set("ranges", Array.from(ranges, writeRange).join(","));
  if (least > 0 || greatest < maxPrice) search.set("priceRange", `[${least},${Math.max(least, greatest)}]`);
}

/** Bounds with their brackets; undefined where there is none. */
interface Range {
  readonly min?: { value: number; bracket: "[" | "(" };
  readonly max?: { value: number; bracket: "]" | ")" };
}

function narrowed(range: Range = {}, operator: string, value: number): Range {
  if (operator === "=") return { min: { value, bracket: "[" }, max: { value, bracket: "]" } };
  return operator.startsWith(">")
    ? { ...range, min: { value, bracket: operator === ">=" ? "[" : "(" } }
    : { ...range, max: { value, bracket: operator === "<=" ? "]" : ")" } };
}

function writeRange([name, { min, max }]: [string, Range]): string {
  const bounds = `${min?.bracket ?? "["}${min?.value ?? ""},${max?.value ?? ""}${max?.bracket ?? "]"}`;
  return `${escapeValue(name, ":")}:${bounds}`;
}
