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

/**
 * The data of one product in the index. `source` (0–254) and `availability` (0–255) are codes that the caller
 * defines.
 */
export interface IndexDocument {
  /** The caller's dense row number, 0 to 2³² − 1, which hits contain. Unique in an index. */
  readonly id: number;
  /** Orders documents of equal score and quality, by code point. */
  readonly tieKey: string;
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
