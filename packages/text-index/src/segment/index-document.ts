/** The text fields of a document; empty strings if a field is missing. */
export interface DocumentFields {
  readonly name: string;
  readonly brand: string;
  readonly store: string;
  readonly description: string;
  readonly category: string;
}

/** The sorts by a number that may be unknown: then a document comes last. Each is a column in both engines. */
export const numberColumns = ["newest", "rank"] as const;
export type NumberColumn = (typeof numberColumns)[number];

export function isNumberColumn(name: string): name is NumberColumn {
  return numberColumns.some((column) => column === name);
}

/** The numbers of a document: those that every one has, and those that may be unknown. */
export type DocumentNumber = "priceMinor" | "rating" | "discount" | NumberColumn;

/** The filters by a number: what each bounds, and where. Bounds are inclusive; an unknown number is in no range. */
export const numberFilters = {
  minPriceMinor: { of: "priceMinor", bound: "least" },
  maxPriceMinor: { of: "priceMinor", bound: "most" },
  minRating: { of: "rating", bound: "least" },
  minDiscount: { of: "discount", bound: "least" },
} as const satisfies Record<string, { of: DocumentNumber; bound: "least" | "most" }>;

type NumberFilter = keyof typeof numberFilters;
export type NumberFilters = { readonly [Name in NumberFilter]?: number | undefined };

const isNumberFilter = (name: string): name is NumberFilter => Object.hasOwn(numberFilters, name);
const numberFilterNames = Object.keys(numberFilters).filter(isNumberFilter);

/** What numbers of a document must be within: a range for each that a filter bounds. */
export function boundedNumbers(filters: NumberFilters) {
  const ranges = new Map<DocumentNumber, { of: DocumentNumber; least: number; most: number }>();
  for (const name of numberFilterNames) {
    const value = filters[name];
    if (value === undefined) continue;
    const { of, bound } = numberFilters[name];
    const range = ranges.get(of) ?? {
      of,
      least: Number.NEGATIVE_INFINITY,
      most: Number.POSITIVE_INFINITY,
    };
    range[bound] = asStored(of, value);
    ranges.set(of, range);
  }
  return [...ranges.values()];
}

/** Ratings and discounts have 32 bits: a bound is rounded as they are. */
export function asStored(of: DocumentNumber, value: number): number {
  return of === "rating" || of === "discount" ? Math.fround(value) : value;
}

/**
 * The data of one product in the index. `source` (0–254) and `availability` (0–255) are codes that the caller
 * defines.
 */
export interface IndexDocument {
  /** The caller's dense row number, 0 to 2³² − 1, which hits contain. Unique in an index. */
  readonly id: number;
  /** Orders documents of equal score and quality, the lowest first; those with the same by `id`. */
  readonly tie: number;
  readonly fields: DocumentFields;
  /** Identifiers, codes and the like: a query that equals one of them finds this document first. Default: none. */
  readonly keys?: readonly string[];
  /** The code of the language of its texts. Default: the first language of the index. */
  readonly language?: string | undefined;
  /** What customers choose by, such as colour and size. Values are searched as text, filtered and counted. */
  readonly attributes?: ReadonlyArray<readonly [name: string, value: string]> | undefined;
  /** Values of further attributes, which are searched as text only. */
  readonly otherAttributes?: readonly string[] | undefined;
  /** Its categories, each from the top of the tree down. Default: `fields.category` alone. */
  readonly categoryPaths?: ReadonlyArray<readonly string[]> | undefined;
  /** Documents with the same group are variants of one product. Default: a group of its own. */
  readonly group?: string | undefined;
  readonly source: number;
  /** An integer in the smallest unit of the currency. */
  readonly priceMinor: number;
  /** 0 if unknown. Stored as a 32-bit float, like `discount` and `quality`. */
  readonly rating: number;
  readonly discount: number;
  readonly numbers?: { readonly [Column in NumberColumn]?: number | undefined } | undefined;
  /** Orders documents of equal relevance: higher is better. */
  readonly quality: number;
  readonly availability: number;
  /** Whether `SearchQuery.boostFactor` applies to it. Default: false. */
  readonly boosted?: boolean | undefined;
  /** Default: false. */
  readonly onSale?: boolean | undefined;
}

/** How much a field says about the document, and its neutral length. */
export const fieldWeights: ReadonlyArray<{
  field: keyof DocumentFields | "attributes";
  weight: number;
  usualLength: number;
}> = [
  { field: "name", weight: 1, usualLength: 10 },
  { field: "brand", weight: 0.6, usualLength: 2 },
  { field: "category", weight: 0.5, usualLength: 4 },
  { field: "attributes", weight: 0.4, usualLength: 8 },
  { field: "description", weight: 0.2, usualLength: 60 },
];
