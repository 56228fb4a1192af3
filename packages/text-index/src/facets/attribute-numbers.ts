import { BoundedCache } from "../bounded-cache.ts";
import type { FilterKey, NumberBounds } from "../search/search-query.ts";
import type { Segment } from "../segment/segment.ts";
import type { NumberColumn } from "../segment/segment-layout.ts";
import { columnOf, type Numbers, numbersType } from "../segment/segment-layout.ts";
import { stringAt, stringCount } from "../segment/string-table.ts";
import { attributePrefix, splitTag, type TaggedDocuments, taggedSet } from "../segment/tags.ts";
import { type Measure, readMeasure, scaled, type Unit, unitOf } from "../text/measure.ts";
import { attributesIn } from "./segment-tags.ts";

// The numbers of attributes are tags. Before the first range or sort by an attribute, they are read from these into a column,
// so that the time of a range depends on the documents alone, however many values the attribute has.

/** How the values of an attribute are read as numbers. */
interface NumberReading {
  readonly key: FilterKey;
  readonly dimension: string;
  /** Base units of a number without a unit. */
  readonly factor: number;
}

/** In the base unit of the attribute; undefined for what is no number of it. */
export function numberOf(
  { dimension, factor }: Omit<NumberReading, "key">,
  measure: Measure | undefined,
): number | undefined {
  if (measure === undefined) return undefined;
  if (measure.dimension === dimension) return measure.value;
  return measure.dimension === "" ? scaled(measure.value, factor) : undefined;
}

interface DocumentNumbers {
  /** Ascending, each once. */
  readonly numbers: Float64Array;
  /** By document, the place of a number of it, from 1 on; 0 without a number. */
  readonly places: Numbers;
  /** The other numbers of documents with several. */
  readonly furtherDocs: Uint32Array;
  readonly furtherPlaces: Uint32Array;
}

/** As many bytes for each document as eight sorts take. */
const keptBytes = 64;
const numbersOf = new WeakMap<Segment, BoundedCache<string, DocumentNumbers>>();

function documentNumbers(segment: Segment, reading: NumberReading): DocumentNumbers {
  const known =
    numbersOf.get(segment) ??
    new BoundedCache<string, DocumentNumbers>(
      keptBytes * segment.documents,
      ({ numbers, places }) => numbers.byteLength + places.byteLength,
    );
  numbersOf.set(segment, known);
  const { key, dimension, factor } = reading;
  return known.get(`${key} ${dimension} ${factor}`, () => readNumbers(segment, reading));
}

function readNumbers(segment: Segment, reading: NumberReading): DocumentNumbers {
  const { documents, sections, tags } = segment;
  const { tagRows, tagStarts } = sections;
  const spellings = attributesIn(segment).filter(({ key }) => key === reading.key);
  const first = Math.min(stringCount(tags), ...spellings.map(({ from }) => from));
  const last = Math.max(first, ...spellings.map(({ to }) => to));
  const numberOfTag = new Float64Array(last - first).fill(Number.NaN);
  for (const { name, from, to } of spellings) {
    const measureAt = measureReader(segment, name);
    for (let tag = from; tag < to; tag++)
      numberOfTag[tag - first] = numberOf(reading, measureAt(tag)) ?? Number.NaN;
  }
  const numbers = distinct(numberOfTag);
  const placeOfTag = Uint32Array.from(numberOfTag, (number) =>
    Number.isNaN(number) ? 0 : firstFrom(numbers, number, false) + 1,
  );
  const places = new (numbersType(numbers.length + 1))(documents);
  const furtherDocs: number[] = [];
  const furtherPlaces: number[] = [];
  // An inner loop: plain indexing. The tags of a document ascend.
  for (let doc = 0; doc < documents; doc++) {
    const end = tagStarts[doc + 1] ?? 0;
    for (let at = tagStarts[doc] ?? 0; at < end; at++) {
      const tag = tagRows[at] ?? 0;
      if (tag >= last) break;
      const place = tag < first ? 0 : (placeOfTag[tag - first] ?? 0);
      if (place === 0) continue;
      if (places[doc] === 0) places[doc] = place;
      else {
        furtherDocs.push(doc);
        furtherPlaces.push(place);
      }
    }
  }
  return {
    numbers,
    places,
    furtherDocs: Uint32Array.from(furtherDocs),
    furtherPlaces: Uint32Array.from(furtherPlaces),
  };
}

/** Ascending. NaN is sorted to the end. */
function distinct(numbers: Float64Array): Float64Array {
  const sorted = numbers.toSorted();
  let count = 0;
  for (let i = 0; i < sorted.length; i++) {
    const number = sorted[i] ?? 0;
    if (!Number.isNaN(number) && (count === 0 || number !== sorted[count - 1])) sorted[count++] = number;
  }
  return sorted.slice(0, count);
}

/** The first place of a number that is not below the bound, or is above it. */
function firstFrom(numbers: Float64Array, bound: number, isAbove: boolean): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const number = numbers[middle] ?? 0;
    if (number < bound || (isAbove && number === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Documents pass if their place is from the first to the last. */
export interface PlaceRange extends Pick<DocumentNumbers, "places"> {
  readonly first: number;
  readonly last: number;
}

const signBit = 1 << 31;

/** The documents with a number within any of the bounds. */
export function documentsWithin(segment: Segment, all: readonly NumberBounds[]): TaggedDocuments {
  // Whole words: what reads the set reads 32 documents at once.
  const words = new Uint32Array((segment.documents + 31) >>> 5);
  for (const bounds of all) {
    if (bounds.least > bounds.most) continue;
    const column = documentNumbers(segment, bounds);
    const { first, last } = placesOf(column, bounds);
    if (first <= last) markPlaces(words, column, first, last);
  }
  return taggedSet(new Uint8Array(words.buffer));
}

/** The places of the numbers within the bounds; undefined if some document has several numbers. */
export function placesWithin(segment: Segment, bounds: NumberBounds): PlaceRange | undefined {
  if (bounds.least > bounds.most) return undefined;
  const column = documentNumbers(segment, bounds);
  if (column.furtherDocs.length > 0) return undefined;
  return { places: column.places, ...placesOf(column, bounds) };
}

function placesOf(
  { numbers }: DocumentNumbers,
  { least, most, excludesLeast, excludesMost }: NumberBounds,
): Omit<PlaceRange, "places"> {
  return {
    first: firstFrom(numbers, least, excludesLeast) + 1,
    last: firstFrom(numbers, most, !excludesMost),
  };
}

/**
 * An inner loop: plain indexing, and no branch, which would be unpredictable for the CPU. One of the differences is negative for a
 * place outside: its sign becomes the bit of the document.
 */
function markPlaces(
  words: Uint32Array,
  { places, furtherDocs, furtherPlaces }: DocumentNumbers,
  first: number,
  last: number,
): void {
  for (let word = 0, doc = 0; word < words.length; word++) {
    const end = Math.min(doc + 32, places.length);
    const unused = doc + 32 - end;
    let marks = 0;
    for (; doc < end; doc++) {
      const place = places[doc] ?? 0;
      marks = (marks >>> 1) | (~((place - first) | (last - place)) & signBit);
    }
    words[word] = (words[word] ?? 0) | (marks >>> unused);
  }
  for (let i = 0; i < furtherDocs.length; i++) {
    const doc = furtherDocs[i] ?? 0;
    const place = furtherPlaces[i] ?? 0;
    if (place >= first && place <= last) words[doc >>> 5] = (words[doc >>> 5] ?? 0) | (1 << (doc & 31));
  }
}

/** Beyond all numbers: documents without one come last under both orders. */
const beyond = Number.MAX_VALUE;
const keptColumns = 8;
const columnsOf = new WeakMap<Segment, BoundedCache<string, Float64Array>>();

function sortColumn(segment: Segment, id: string, fill: () => Float64Array): Float64Array {
  const known = columnsOf.get(segment) ?? new BoundedCache<string, Float64Array>(keptColumns);
  columnsOf.set(segment, known);
  return known.get(id, fill);
}

/** The number of each document, the lowest of several in ascending order, else the highest. */
export function numberColumn(
  segment: Segment,
  reading: NumberReading | undefined,
  order: "asc" | "desc",
): Float64Array {
  const { key, dimension, factor } = reading ?? {};
  return sortColumn(segment, `${order} ${key} ${dimension} ${factor}`, () => {
    const column = new Float64Array(segment.documents).fill(order === "asc" ? beyond : -beyond);
    if (reading === undefined) return column;
    const { numbers, places, furtherDocs, furtherPlaces } = documentNumbers(segment, reading);
    places.forEach((place, doc) => {
      if (place > 0) column[doc] = numbers[place - 1] ?? 0;
    });
    const best = order === "asc" ? Math.min : Math.max;
    furtherDocs.forEach((doc, i) => {
      column[doc] = best(column[doc] ?? 0, numbers[(furtherPlaces[i] ?? 0) - 1] ?? 0);
    });
    return column;
  });
}

/** A column with values that come last for unknown ones. */
export function unknownLast(segment: Segment, name: NumberColumn, order: "asc" | "desc"): Float64Array {
  const none = order === "asc" ? beyond : -beyond;
  return sortColumn(segment, `${order} ${name}`, () =>
    Float64Array.from(columnOf(segment.sections, name), (value) => (Number.isNaN(value) ? none : value)),
  );
}

/** What stands after the digits of a value, by its place among the bytes of the tags. */
interface Ending extends Unit {
  readonly start: number;
  readonly length: number;
  readonly unit: string;
}

const zero = 48;
const point = 46;
const comma = 44;
/** Numbers with so many digits are exact, and so is one divided by a power of ten. */
const maxDigits = 15;
const keptEndings = 8;

/**
 * Reads values of an attribute, by their tags, as `readMeasure` does. An attribute of a hundred thousand values has few units,
 * so what stands after plain digits is read once: to decode and match each text takes twenty times as long.
 */
export function measureReader({ tags }: Segment, name: string): (tag: number) => Measure | undefined {
  const { offsets, bytes } = tags;
  const prefix = Buffer.byteLength(attributePrefix(name));
  const endings: Ending[] = [];
  const isEnding = ({ start, length }: Ending, at: number, end: number) => {
    if (length !== end - at) return false;
    for (let i = 0; i < length; i++) if (bytes[start + i] !== bytes[at + i]) return false;
    return true;
  };
  return (tag) => {
    const start = (offsets[tag] ?? 0) + prefix;
    const end = offsets[tag + 1] ?? 0;
    let at = start;
    let number = 0;
    let decimals = -1;
    for (; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === point && decimals < 0 && at > start) decimals = 0;
      else if (byte >= zero && byte < zero + 10) {
        number = number * 10 + byte - zero;
        if (decimals >= 0) decimals++;
      } else break;
    }
    const isPlain = at > start && at - start <= maxDigits && bytes[at] !== comma;
    if (isPlain) {
      const value = decimals > 0 ? number / 10 ** decimals : number;
      for (const ending of endings) {
        const { dimension, factor, unit } = ending;
        if (isEnding(ending, at, end)) return { value: scaled(value, factor), dimension, unit };
      }
    }
    const measure = readMeasure(splitTag(stringAt(tags, tag))[1]);
    if (isPlain && measure !== undefined && endings.length < keptEndings)
      endings.push({ start: at, length: end - at, unit: measure.unit, ...unitOf(measure.unit) });
    return measure;
  };
}
