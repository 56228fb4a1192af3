import {
  asStored,
  boundedNumbers,
  type DocumentNumber,
  hasNumberWithin,
  isNumberColumn,
  nameKey,
  type numberFilters,
} from "@product-search/text-index";
import type { AttributeRange, PropertyFilters } from "../ports/text-search.ts";
import { indexedNumbers } from "./fields.ts";
import type { StoredProduct } from "./product.ts";
import { categoryPathsOf } from "./product.ts";

/** What a filter looks at. A live marketplace's product has no discount of ours. */
type FilteredProduct = Pick<StoredProduct, "priceMinor" | "availability" | "storeName"> &
  Partial<
    Pick<
      StoredProduct,
      | "brand"
      | "category"
      | "categoryPaths"
      | "attributes"
      | "originalPriceMinor"
      | (typeof indexedNumbers)[DocumentNumber]
    >
  >;
type Passes = (product: FilteredProduct) => boolean;

const pathSeparator = " > ";

/**
 * Whether products pass the filters of a search, without an index. `unitOf` has the unit of each attribute whose values are
 * numbers, see `TextSearch.numberUnit`.
 */
export function productFilter(
  filters: PropertyFilters,
  unitOf: (attribute: string) => string | undefined,
): Passes {
  const { brands, stores, categories, availability } = filters;
  const checks: Record<Exclude<keyof PropertyFilters, keyof typeof numberFilters>, Passes | undefined> = {
    onSale: filters.onSale ? isOnSale : undefined,
    availability: availability && ((product) => availability.includes(product.availability)),
    brands: brands && hasName(brands, ({ brand }) => brand),
    stores: stores && hasName(stores, ({ storeName }) => storeName),
    categories: categories && hasCategory(categories),
    attributes: all((filters.attributes ?? []).map(hasAttribute)),
    ranges: all((filters.ranges ?? []).map((range) => hasNumber(range, unitOf(range.name)))),
    notBrands: not(hasName(filters.notBrands ?? [], ({ brand }) => brand)),
    notStores: not(hasName(filters.notStores ?? [], ({ storeName }) => storeName)),
    notCategories: not(hasCategory(filters.notCategories ?? [])),
    notAttributes: all((filters.notAttributes ?? []).map((attribute) => not(hasAttribute(attribute)))),
  };
  return all([
    ...boundedNumbers(filters).map(
      ({ of, least, most }): Passes =>
        (product) => {
          const number = numberIn(product, of);
          return least <= number && number <= most;
        },
    ),
    ...Object.values(checks).filter((check) => check !== undefined),
  ]);
}

function all(checks: readonly Passes[]): Passes {
  return (product) => checks.every((passes) => passes(product));
}

function isOnSale({ originalPriceMinor = 0, priceMinor }: FilteredProduct): boolean {
  return originalPriceMinor > priceMinor;
}

/** As the index has it. */
function numberIn(product: FilteredProduct, of: DocumentNumber): number {
  return asStored(of, product[indexedNumbers[of]] ?? (isNumberColumn(of) ? Number.NaN : 0));
}

function not(passes: Passes): Passes {
  return (product) => !passes(product);
}

function hasName(names: readonly string[], nameOf: (product: FilteredProduct) => string | undefined): Passes {
  const keys = new Set(names.map(nameKey));
  return (product) => keys.has(nameKey(nameOf(product) ?? ""));
}

/** A name is that of any level, a path is one level and everything below it. */
function hasCategory(categories: readonly string[]): Passes {
  const keys = new Set(categories.map(pathKey));
  return (product) => {
    const paths = categoryPathsOf(product);
    return (paths.length > 0 ? paths : [[""]]).some((path) =>
      path.some(
        (name, level) =>
          keys.has(nameKey(name)) ||
          keys.has(
            path
              .slice(0, level + 1)
              .map(nameKey)
              .join(pathSeparator),
          ),
      ),
    );
  };
}

function pathKey(path: string): string {
  return path.split(pathSeparator).map(nameKey).join(pathSeparator);
}

function hasAttribute({ name, values }: { name: string; values: readonly string[] }): Passes {
  const key = nameKey(name);
  const keys = new Set(values.map(nameKey));
  return ({ attributes = {} }) =>
    Object.entries(attributes).some(
      ([own, its]) => nameKey(own) === key && its.some((value) => keys.has(nameKey(value))),
    );
}

function hasNumber(range: AttributeRange, unit: string | undefined): Passes {
  return ({ attributes = {} }) => unit !== undefined && hasNumberWithin(range, unit, attributes);
}
