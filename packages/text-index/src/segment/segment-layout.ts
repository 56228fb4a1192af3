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

/** Increase it with every change of the layout or of how text becomes terms: older files are then rebuilt, as with a further column. */
export const formatVersion = 22 + numberColumns.length;

const magicNumber = 0x58495354; // "TSIX" in little-endian bytes
const sectionTypes = {
  ids: Uint32Array,
  prices: Uint32Array,
  // Instead of the other ones, if any of them takes more than 32 bits.
  longPrices: Float64Array,
  ratings: Float32Array,
  discounts: Float32Array,
  // The stored ones of `numberColumns` one after the other; NaN for unknown.
  numbers: Float64Array,
  numberPlaces: Uint8Array,
  qualities: Float32Array,
  brands: Uint32Array,
  categories: Uint32Array,
  stores: Uint32Array,
  sources: Uint8Array,
  availabilities: Uint8Array,
  ties: Float64Array,
  keyStarts: Uint32Array,
  keyLows: Uint32Array,
  keyRests: Uint8Array,
  nameOffsets: Uint32Array,
  nameWords: Uint32Array,
  nameHeads: Uint8Array,
  termOffsets: Uint32Array,
  termBytes: Uint8Array,
  termNamed: Uint8Array,
  termThings: Uint8Array,
  frequentTerms: Uint32Array,
  frequentNamed: Uint32Array,
  frequentThings: Uint32Array,
  postingOffsets: Uint32Array,
  postingBlocks: Uint32Array,
  postingImpacts: Uint8Array,
  blockDocs: Uint32Array,
  blockStarts: Uint32Array,
  blockWidths: Uint8Array,
  blockImpacts: Uint8Array,
  gapWords: Uint32Array,
  denseTerms: Uint32Array,
  wordOffsets: Uint32Array,
  wordBytes: Uint8Array,
  wordTerms: Uint32Array,
  spellingOffsets: Uint32Array,
  spellingBytes: Uint8Array,
  spellingCounts: Uint32Array,
  brandOffsets: Uint32Array,
  brandBytes: Uint8Array,
  categoryOffsets: Uint32Array,
  categoryBytes: Uint8Array,
  storeOffsets: Uint32Array,
  storeBytes: Uint8Array,
  phraseWords: Uint32Array,
  phraseCounts: Uint32Array,
  phraseSources: Uint8Array,
  tagStarts: Uint32Array,
  tagRows: Uint32Array,
  tagOffsets: Uint32Array,
  tagBytes: Uint8Array,
  groupNumbers: Uint32Array,
  groupOffsets: Uint32Array,
  groupBytes: Uint8Array,
  // The last one: it is derived, so the file ends before it.
  denseImpacts: Uint8Array,
} as const;

/** Sections of numbers of strings, each with the offsets of its table: few strings need only one or two bytes for a number. */
const numbersOf = {
  brands: "brandOffsets",
  categories: "categoryOffsets",
  stores: "storeOffsets",
  nameWords: "wordOffsets",
  wordTerms: "termOffsets",
  tagRows: "tagOffsets",
} as const;

type SectionTypes = typeof sectionTypes;
export type SectionName = keyof SectionTypes;
type NumbersName = keyof typeof numbersOf;
export type Numbers = Uint8Array | Uint16Array | Uint32Array;
/** The typed arrays of a segment. Documents are ordered by quality, best first, then by tie. */
export type Sections = {
  readonly [Name in SectionName]: Name extends NumbersName ? Numbers : InstanceType<SectionTypes[Name]>;
};
export type SectionLengths = { readonly [Name in SectionName]: number };

const names = Object.keys(sectionTypes).filter((name): name is SectionName => name in sectionTypes);
const headerBytes = 8 + names.length * 8;
const align = (bytes: number): number => Math.ceil(bytes / 8) * 8;

function isNumbers(name: SectionName): name is NumbersName {
  return name in numbersOf;
}

/** The class of arrays for the numbers of so many strings. */
export function numbersType(strings: number) {
  if (strings <= 1 << 8) return Uint8Array;
  return strings <= 1 << 16 ? Uint16Array : Uint32Array;
}

function bytesOf(lengthOf: (name: SectionName) => number, name: SectionName): number {
  const type = isNumbers(name) ? numbersType(lengthOf(numbersOf[name]) - 1) : sectionTypes[name];
  return align(lengthOf(name) * type.BYTES_PER_ELEMENT);
}

/** A new shared buffer with space for these sections, and the views to fill it. */
export function allocateSections(lengths: SectionLengths): { buffer: SharedArrayBuffer; sections: Sections } {
  let bytes = align(headerBytes);
  for (const name of names) bytes += bytesOf((section) => lengths[section], name);
  const buffer = new SharedArrayBuffer(bytes);
  const header = new DataView(buffer);
  header.setUint32(0, magicNumber, true);
  header.setUint32(4, formatVersion, true);
  names.forEach((name, i) => {
    header.setFloat64(8 + i * 8, lengths[name], true);
  });
  return { buffer, sections: viewSections(buffer) };
}

/** The sections of a buffer made by `allocateSections`, here or on another thread. Throws for any other buffer. */
export function viewSections(buffer: SharedArrayBuffer): Sections {
  if (buffer.byteLength < headerBytes) throw new Error("not a segment: shorter than a header");
  const header = new DataView(buffer);
  if (header.getUint32(0, true) !== magicNumber) throw new Error("not a segment: wrong magic number");
  const version = header.getUint32(4, true);
  if (version !== formatVersion)
    throw new Error(`segment of format ${version}, this is format ${formatVersion}`);
  const lengthOf = (name: SectionName) => header.getFloat64(8 + names.indexOf(name) * 8, true);
  if (
    !names
      .map(lengthOf)
      .every((length) => Number.isSafeInteger(length) && length >= 0 && length <= buffer.byteLength)
  ) {
    throw new Error("damaged segment: impossible section length");
  }
  let at = align(headerBytes);
  const place = <View>(
    View: new (buffer: SharedArrayBuffer, at: number, length: number) => View,
    name: SectionName,
  ) => {
    const length = lengthOf(name);
    const bytes = bytesOf(lengthOf, name);
    if (at + bytes > buffer.byteLength)
      throw new Error(`damaged segment: section ${name} ends past the file`);
    const view = new View(buffer, at, length);
    at += bytes;
    return view;
  };
  const placeNumbers = (name: NumbersName): Numbers => {
    const Type: new (buffer: SharedArrayBuffer, at: number, length: number) => Numbers = numbersType(
      lengthOf(numbersOf[name]) - 1,
    );
    return place(Type, name);
  };
  // In the order of `sectionTypes`: object literals are evaluated from top to bottom.
  return {
    ids: place(Uint32Array, "ids"),
    prices: place(Uint32Array, "prices"),
    longPrices: place(Float64Array, "longPrices"),
    ratings: place(Float32Array, "ratings"),
    discounts: place(Float32Array, "discounts"),
    numbers: place(Float64Array, "numbers"),
    numberPlaces: place(Uint8Array, "numberPlaces"),
    qualities: place(Float32Array, "qualities"),
    brands: placeNumbers("brands"),
    categories: placeNumbers("categories"),
    stores: placeNumbers("stores"),
    sources: place(Uint8Array, "sources"),
    availabilities: place(Uint8Array, "availabilities"),
    ties: place(Float64Array, "ties"),
    keyStarts: place(Uint32Array, "keyStarts"),
    keyLows: place(Uint32Array, "keyLows"),
    keyRests: place(Uint8Array, "keyRests"),
    nameOffsets: place(Uint32Array, "nameOffsets"),
    nameWords: placeNumbers("nameWords"),
    nameHeads: place(Uint8Array, "nameHeads"),
    termOffsets: place(Uint32Array, "termOffsets"),
    termBytes: place(Uint8Array, "termBytes"),
    termNamed: place(Uint8Array, "termNamed"),
    termThings: place(Uint8Array, "termThings"),
    frequentTerms: place(Uint32Array, "frequentTerms"),
    frequentNamed: place(Uint32Array, "frequentNamed"),
    frequentThings: place(Uint32Array, "frequentThings"),
    postingOffsets: place(Uint32Array, "postingOffsets"),
    postingBlocks: place(Uint32Array, "postingBlocks"),
    postingImpacts: place(Uint8Array, "postingImpacts"),
    blockDocs: place(Uint32Array, "blockDocs"),
    blockStarts: place(Uint32Array, "blockStarts"),
    blockWidths: place(Uint8Array, "blockWidths"),
    blockImpacts: place(Uint8Array, "blockImpacts"),
    gapWords: place(Uint32Array, "gapWords"),
    denseTerms: place(Uint32Array, "denseTerms"),
    wordOffsets: place(Uint32Array, "wordOffsets"),
    wordBytes: place(Uint8Array, "wordBytes"),
    wordTerms: placeNumbers("wordTerms"),
    spellingOffsets: place(Uint32Array, "spellingOffsets"),
    spellingBytes: place(Uint8Array, "spellingBytes"),
    spellingCounts: place(Uint32Array, "spellingCounts"),
    brandOffsets: place(Uint32Array, "brandOffsets"),
    brandBytes: place(Uint8Array, "brandBytes"),
    categoryOffsets: place(Uint32Array, "categoryOffsets"),
    categoryBytes: place(Uint8Array, "categoryBytes"),
    storeOffsets: place(Uint32Array, "storeOffsets"),
    storeBytes: place(Uint8Array, "storeBytes"),
    phraseWords: place(Uint32Array, "phraseWords"),
    phraseCounts: place(Uint32Array, "phraseCounts"),
    phraseSources: place(Uint8Array, "phraseSources"),
    tagStarts: place(Uint32Array, "tagStarts"),
    tagRows: placeNumbers("tagRows"),
    tagOffsets: place(Uint32Array, "tagOffsets"),
    tagBytes: place(Uint8Array, "tagBytes"),
    groupNumbers: place(Uint32Array, "groupNumbers"),
    groupOffsets: place(Uint32Array, "groupOffsets"),
    groupBytes: place(Uint8Array, "groupBytes"),
    denseImpacts: place(Uint8Array, "denseImpacts"),
  };
}

export type Column = Uint32Array | Float32Array | Float64Array;

const mostIn32Bits = 2 ** 32 - 1;

export function isLongPrice(price: number): boolean {
  return !(Number.isInteger(price) && price >= 0 && price <= mostIn32Bits);
}

/** The column for the prices, which all documents have. */
export function pricesOf({ prices, longPrices }: Sections): Uint32Array | Float64Array {
  return longPrices.length > 0 ? longPrices : prices;
}

/** The numbers of the documents. */
export function columnOf(sections: Sections, number: DocumentNumber): Column {
  const { ids, ratings, discounts } = sections;
  switch (number) {
    case "priceMinor":
      return pricesOf(sections);
    case "rating":
      return ratings;
    case "discount":
      return discounts;
    default: {
      const column = storedNumbers(sections)[numberColumns.indexOf(number)];
      return column ?? new Float64Array(ids.length).fill(Number.NaN);
    }
  }
}

/** For each of `numberColumns` its place among the stored ones plus 1; 0 if no document has it: then it takes no space. */
export function numberPlaces(isStored: (column: number) => boolean): Uint8Array {
  let stored = 0;
  return Uint8Array.from(numberColumns, (_, column) => (isStored(column) ? ++stored : 0));
}

/** By the number of the column. */
export function storedNumbers({
  ids,
  numbers,
  numberPlaces: places,
}: Sections): Array<Float64Array | undefined> {
  return Array.from(places, (place) =>
    place === 0 ? undefined : numbers.subarray((place - 1) * ids.length, place * ids.length),
  );
}
