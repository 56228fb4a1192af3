import type { Availability } from "@product-search/core/domain/availability.ts";
import { readNameList, unescaped } from "@product-search/core/domain/name-list.ts";
import { parsePriceRange } from "@product-search/core/domain/price/money.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { AttributeRange, RangeBound, TextFilters } from "@product-search/core/ports/text-search.ts";
import { maxNamedAttributes, readAttributes } from "./read-query.ts";

/** The filters of a catalog search, as its parameters. In entries of lists a backslash escapes. */
export interface CatalogFilters {
  priceRange?: string;
  brands?: readonly string[];
  categories?: readonly string[];
  stores?: readonly string[];
  attributes?: readonly string[];
  ranges?: string;
  availability?: readonly Availability[];
  minRating?: number;
  minDiscount?: number;
  onSale?: boolean;
  notBrands?: readonly string[];
  notCategories?: readonly string[];
  notStores?: readonly string[];
  notAttributes?: readonly string[];
}

type Reader = (parameters: CatalogFilters, currency: string) => TextFilters | false | undefined;

/** Each parameter in the form of the port. A filter is a line here, one in each engine, and a parameter of the spec. */
const readers: Readonly<Record<keyof CatalogFilters, Reader>> = {
  priceRange: ({ priceRange }, currency) => priceRange !== undefined && parsePriceRange(priceRange, currency),
  brands: ({ brands }) => brands && { brands: readNameList("brands", brands) },
  categories: ({ categories }) => categories && { categories: readNameList("categories", categories) },
  stores: ({ stores }) => stores && { stores: readNameList("stores", stores) },
  attributes: ({ attributes }) => attributes && { attributes: readAttributes("attributes", attributes) },
  ranges: ({ ranges }) => ranges !== undefined && { ranges: readRanges(ranges) },
  availability: ({ availability }) => availability && { availability },
  minRating: ({ minRating }) => minRating !== undefined && { minRating },
  minDiscount: ({ minDiscount }) => minDiscount !== undefined && { minDiscount },
  onSale: ({ onSale }) => onSale && { onSale },
  notBrands: ({ notBrands }) => notBrands && { notBrands: readNameList("notBrands", notBrands) },
  notCategories: ({ notCategories }) =>
    notCategories && { notCategories: readNameList("notCategories", notCategories) },
  notStores: ({ notStores }) => notStores && { notStores: readNameList("notStores", notStores) },
  notAttributes: ({ notAttributes }) =>
    notAttributes && { notAttributes: readAttributes("notAttributes", notAttributes) },
};

export const catalogFilterNames = Object.keys(readers);

/** Empty if no parameter sets a filter. */
export function toTextFilters(parameters: CatalogFilters, currency: string): TextFilters {
  const filters: TextFilters = {};
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
