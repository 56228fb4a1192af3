import { readNameList, unescaped } from "@product-search/core/domain/name-list.ts";
import { type PriceBounds, parsePriceRange } from "@product-search/core/domain/price/money.ts";
import { ApiError } from "@product-search/core/errors.ts";
import {
  type AttributeRange,
  numberFilters,
  type RangeBound,
  type TextFilters,
} from "@product-search/core/ports/text-search.ts";
import type { SearchCatalogOperation } from "@product-search/types";
import type { OperationInput } from "../handler.ts";
import { maxNamedAttributes, readAttributes } from "./read-query.ts";

export type CatalogQuery = OperationInput<SearchCatalogOperation>["query"];

/** The filters of a catalog search: the parameters that do not say what is shown. In entries of lists a backslash escapes. */
export type CatalogFilters = Omit<
  CatalogQuery,
  | "q"
  | "literal"
  | "count"
  | "page"
  | "sort"
  | "order"
  | "facets"
  | "maxFacetValues"
  | "facetQuery"
  | "grouped"
  | "include"
  | "relatedCount"
>;

type Reader = (parameters: CatalogFilters, currency: string) => TextFilters | false | undefined;

type NumbersOf<Parameters> = {
  [Name in keyof Parameters]-?: Parameters[Name] extends number | undefined ? Name : never;
}[keyof Parameters];
type FilterName = keyof CatalogFilters | keyof typeof numberFilters;
/** Those that the port has in the same form. */
type NumberParameter = NumbersOf<CatalogFilters> & keyof typeof numberFilters;

/** All others in the form of the port. */
const readers: Readonly<Record<Exclude<FilterName, NumberParameter | keyof PriceBounds>, Reader>> = {
  priceRange: ({ priceRange }, currency) => priceRange !== undefined && parsePriceRange(priceRange, currency),
  brands: ({ brands }) => brands && { brands: readNameList("brands", brands) },
  categories: ({ categories }) => categories && { categories: readNameList("categories", categories) },
  stores: ({ stores }) => stores && { stores: readNameList("stores", stores) },
  attributes: ({ attributes }) => attributes && { attributes: readAttributes("attributes", attributes) },
  ranges: ({ ranges }) => ranges !== undefined && { ranges: readRanges(ranges) },
  availability: ({ availability }) => availability && { availability },
  onSale: ({ onSale }) => onSale && { onSale },
  notBrands: ({ notBrands }) => notBrands && { notBrands: readNameList("notBrands", notBrands) },
  notCategories: ({ notCategories }) =>
    notCategories && { notCategories: readNameList("notCategories", notCategories) },
  notStores: ({ notStores }) => notStores && { notStores: readNameList("notStores", notStores) },
  notAttributes: ({ notAttributes }) =>
    notAttributes && { notAttributes: readAttributes("notAttributes", notAttributes) },
};

const isNumberParameter = (name: string): name is NumberParameter =>
  !(name in readers) && !name.endsWith("PriceMinor");
const numberParameters = Object.keys(numberFilters).filter(isNumberParameter);

export const catalogFilterNames: readonly string[] = [...Object.keys(readers), ...numberParameters];

/** Empty if no parameter sets a filter. */
export function toTextFilters(parameters: CatalogFilters, currency: string): TextFilters {
  const filters: TextFilters = {};
  for (const name of numberParameters)
    if (parameters[name] !== undefined) Object.assign(filters, { [name]: parameters[name] });
  for (const read of Object.values(readers)) Object.assign(filters, read(parameters, currency));
  const { attributes = [], ranges = [] } = filters;
  if (attributes.length + ranges.length > maxNamedAttributes)
    throw new ApiError(
      "invalid_request",
      `ranges: with attributes, names ${attributes.length + ranges.length} attributes. Filter by at most ${maxNamedAttributes}.`,
    );
  return filters;
}

const number = String.raw`[+-]?\d{1,15}(?:\.\d{1,10})?`;
const bound = String.raw`(?:(${number}) ?([^\s,\d+\-.\[\]()][^\s,\[\]()]{0,19})?)?`;
const range = new RegExp(String.raw`((?:\\.|[^\\:,])+):([\[(]) *${bound} *, *${bound} *([\])])(?:,|$)`, "y");

/** `capacity:[1,2),weight:[,2kg]`: a bound of a bracket that is round is left out. */
function readRanges(text: string): AttributeRange[] {
  const ranges = new Map<string, AttributeRange>();
  range.lastIndex = 0;
  while (range.lastIndex < text.length || ranges.size === 0) {
    const start = range.lastIndex;
    const [, written = "", opening, min, minUnit, max, maxUnit, closing] = range.exec(text) ?? [];
    const name = unescaped(written).trim();
    if (name === "" || (min === undefined && max === undefined))
      throw new ApiError(
        "invalid_request",
        `ranges: "${text.slice(start, start + 60)}" is not a name and a range. Write name:[min,max], such as capacity:[1,2] or weight:[,2kg], with one bound at least, and a colon or a comma inside a name as \\: or \\,.`,
      );
    if (ranges.has(name))
      throw new ApiError(
        "invalid_request",
        `ranges: has ${name.slice(0, 60)} twice. Send one range for each attribute.`,
      );
    if (min !== undefined && max !== undefined && minUnit === maxUnit && Number(min) > Number(max))
      throw new ApiError(
        "invalid_request",
        `ranges: the least value ${min} of ${name.slice(0, 60)} is above the greatest, ${max}. Write the smaller one first.`,
      );
    ranges.set(name, {
      name,
      ...(min !== undefined && { min: toBound(min, minUnit, opening === "(") }),
      ...(max !== undefined && { max: toBound(max, maxUnit, closing === ")") }),
    });
  }
  return [...ranges.values()];
}

function toBound(value: string, unit: string | undefined, isExcluded: boolean): RangeBound {
  return { value: Number(value), ...(unit !== undefined && { unit }), ...(isExcluded && { isExcluded }) };
}
