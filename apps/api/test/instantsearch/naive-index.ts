// An index that answers InstantSearch's requests as their documentation says, record by record. It knows nothing of the
// service: what it finds is what the search client must find.
import type { ProductInput } from "@product-search/core/domain/product.ts";

type Value = string | number;
export interface NaiveRecord {
  objectID: string;
  name: string;
  fields: Readonly<Record<string, readonly Value[]>>;
}
type FilterList = readonly (string | readonly string[])[];
interface Request {
  indexName: string;
  params?: {
    query?: string;
    page?: number;
    hitsPerPage?: number;
    facets?: string | readonly string[];
    facetFilters?: FilterList;
    numericFilters?: FilterList;
  };
}

export function toRecord(product: ProductInput): NaiveRecord {
  const {
    key,
    name,
    brand,
    storeName,
    availability,
    priceMinor,
    originalPriceMinor = 0,
    averageRating,
  } = product;
  const paths = product.categoryPaths ?? [];
  const attributes = Object.entries(product.attributes ?? {}).flatMap(([attribute, values]) => {
    const numbers = values.flatMap((value) => /^([\d.]+) l$/.exec(value)?.[1] ?? []).map(Number);
    return [[`attributes.${attribute}`, [...values, ...numbers]] as const];
  });
  const levels = [0, 1, 2].map((level) => {
    const values = paths
      .filter((path) => path.length > level)
      .map((path) => path.slice(0, level + 1).join(" > "));
    return [`categoryPaths.lvl${level}`, [...new Set(values)]] as const;
  });
  const fields = Object.fromEntries<readonly Value[]>([
    ["brand", brand === undefined ? [] : [brand]],
    ["storeName", [storeName]],
    ["availability", [availability]],
    ["category", [...new Set(paths.map((path) => path.at(-1) ?? ""))]],
    ["price", [priceMinor / 100]],
    ["averageRating", averageRating === undefined ? [] : [averageRating]],
    ["onSale", originalPriceMinor > priceMinor ? ["true"] : []],
    ...levels,
    ...attributes,
  ]);
  return { objectID: key, name, fields };
}

export function createNaiveClient(records: readonly NaiveRecord[]) {
  return {
    search: async (requests: readonly Request[]) => ({
      results: requests.map((request) => answer(records, request)),
    }),
  };
}

function answer(records: readonly NaiveRecord[], { indexName, params = {} }: Request) {
  const { query = "", page = 0, hitsPerPage = 20, facets = [] } = params;
  const matches = records.filter(
    ({ name, fields }) =>
      query.split(" ").every((word) => word === "" || name.toLowerCase().split(" ").includes(word)) &&
      holds(params.facetFilters, (filter) => hasValue(fields, filter)) &&
      holds(params.numericFilters, (filter) => compares(fields, filter)),
  );
  const names = typeof facets === "string" ? [facets] : facets;
  return {
    index: indexName,
    hits: matches.slice(page * hitsPerPage, (page + 1) * hitsPerPage),
    nbHits: matches.length,
    page,
    nbPages: Math.ceil(matches.length / Math.max(hitsPerPage, 1)),
    hitsPerPage,
    query,
    params: "",
    processingTimeMS: 0,
    exhaustiveNbHits: true,
    exhaustiveFacetsCount: true,
    facets: Object.fromEntries(names.map((name) => [name, count(matches, name)])),
    facets_stats: {},
  };
}

function holds(filters: FilterList = [], test: (filter: string) => boolean): boolean {
  return filters.every((clause) =>
    typeof clause === "string" ? test(clause) : clause.length === 0 || clause.some(test),
  );
}

function hasValue(fields: NaiveRecord["fields"], filter: string): boolean {
  const at = filter.indexOf(":");
  const [field, text] = [filter.slice(0, at), filter.slice(at + 1)];
  const values = fields[field] ?? [];
  return text.startsWith("-") ? !values.includes(text.slice(1)) : values.includes(text.replace(/^\\-/, "-"));
}

function compares(fields: NaiveRecord["fields"], filter: string): boolean {
  const [, field = "", operator, bound] = /^([\w.]+)(<=|>=|<|>|=)([\d.-]+)$/.exec(filter) ?? [];
  return (fields[field] ?? []).some((value) => {
    if (typeof value === "string") return false;
    const difference = value - Number(bound);
    if (operator === "=") return difference === 0;
    return operator?.endsWith("=") && difference === 0
      ? true
      : operator?.startsWith("<")
        ? difference < 0
        : difference > 0;
  });
}

function count(records: readonly NaiveRecord[], field: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fields } of records)
    for (const value of fields[field] ?? [])
      if (typeof value === "string" || field === "averageRating") counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
