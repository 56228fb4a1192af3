/** The text fields of a document. Empty strings where there is nothing to say. */
export interface DocumentFields {
  readonly name: string;
  readonly brand: string;
  readonly store: string;
  readonly description: string;
  readonly category: string;
}

/** What the index needs to know of one product. `source` (0–254) and `availability` (0–255) are codes whose meaning the caller owns. */
export interface IndexDocument {
  /** The caller's dense row number, 0 to 2³² − 1; hits come back as these. Unique in an index. */
  readonly id: number;
  /** Decides between documents of equal score and quality, in code point order. */
  readonly tieKey: string;
  readonly fields: DocumentFields;
  /** Identifiers, codes and the like: a query that is one of them finds this document first. Default: none. */
  readonly keys?: readonly string[];
  readonly source: number;
  /** An integer in the currency's smallest unit. */
  readonly priceMinor: number;
  /** 0 when unknown. Kept as a 32-bit float, like `discount` and `quality`. */
  readonly rating: number;
  readonly discount: number;
  /** Breaks ties of relevance: more is better. */
  readonly quality: number;
  readonly availability: number;
}

/** How much a field says about what the document is, and the length at which it says neither more nor less. */
export const fieldWeights: ReadonlyArray<{
  field: keyof DocumentFields;
  weight: number;
  usualLength: number;
}> = [
  { field: "name", weight: 1, usualLength: 10 },
  { field: "brand", weight: 0.6, usualLength: 2 },
  { field: "category", weight: 0.5, usualLength: 4 },
  { field: "store", weight: 0.2, usualLength: 2 },
  { field: "description", weight: 0.2, usualLength: 60 },
];
