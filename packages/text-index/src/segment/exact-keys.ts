import { fold } from "../text/tokenize.ts";
import { type Deletions, deletedDocument, isDeleted, type MergeInput } from "./segment.ts";
import type { Sections } from "./segment-layout.ts";
import type { Steps } from "./steps.ts";

// Only 53 bits of a key are stored, which fit into a number: with ten million keys, two collide in one of 900 catalogs.
const lowBits = 21;
const keysBetweenPauses = 50_000;
const separators = /[^\p{L}\p{N}]+/gu;
// The forms of a GTIN, which has 8, 12, 13 or 14 digits, differ only in leading zeros.
const zerosOfNumber = /^0+(?=\d*$)/;
const longNumber = /^\d{8,14}$/;
/** Its own normalised form, as most identifiers are. */
const plainKey = /^[a-z1-9][a-z0-9]*$/;
const label = /^\s*(?:gtin|ean|upc|isbn|barcode)(?:-?(?:8|12|13|14))?[\s:#.]+(?=[\d\s-]+$)/i;

/**
 * The normalised form of an identifier, code or slug, without separators, and without leading zeros if it is a number of
 * 8 to 14 digits; undefined for a text without a letter or digit.
 */
export function keyText(text: string): string | undefined {
  const key = fold(text).replace(separators, "");
  return (longNumber.test(key) ? key.replace(zerosOfNumber, "") : key) || undefined;
}

/** The key that a query may be. Shoppers also write which number it is: "EAN 4006381333931". */
export function queryKey(text: string): string | undefined {
  return keyText(text.replace(label, ""));
}

/** The same as a number. */
export function keyNumber(text: string): number | undefined {
  const key = plainKey.test(text) ? text : keyText(text);
  return key === undefined ? undefined : hashOf(key);
}

export function hashOf(key: string): number {
  let high = 0x811c9dc5;
  let low = 0x9e3779b1;
  for (let i = 0; i < key.length; i++) {
    high = Math.imul(high ^ key.charCodeAt(i), 0x01000193);
    low = Math.imul(low ^ key.charCodeAt(i), 0x85ebca6b);
    low ^= low >>> 15;
  }
  return (high >>> 0) * 2 ** lowBits + (low >>> (32 - lowBits));
}

/** Writes the keys in ascending order, each with its document. */
export function fillKeys({ keys, keyDocs }: Sections, numbers: Float64Array, docs: Uint32Array): void {
  keys.set(numbers);
  keys.sort();
  keyDocs.fill(deletedDocument);
  numbers.forEach((number, i) => {
    let at = firstAt(keys, number);
    while (keyDocs[at] !== deletedDocument) at++;
    keyDocs[at] = docs[i] ?? 0;
  });
}

/** The number of keys of live documents in the segments to merge. */
export function countKeys(inputs: readonly MergeInput[], placeOf: readonly Uint32Array[]): number {
  return inputs.reduce(
    (sum, { segment }, i) =>
      segment.sections.keyDocs.reduce(
        (count, doc) => (placeOf[i]?.[doc] === deletedDocument ? count : count + 1),
        sum,
      ),
    0,
  );
}

/** Each input is sorted: the next key is the smallest of their next keys. */
export function* mergeKeys(
  inputs: readonly MergeInput[],
  placeOf: readonly Uint32Array[],
  { keys, keyDocs }: Sections,
): Steps<void> {
  const next = inputs.map(() => 0);
  for (let at = 0; at < keys.length; ) {
    const i = leastOf(inputs, next);
    const source = inputs[i]?.segment.sections;
    const from = next[i] ?? 0;
    next[i] = from + 1;
    const place = placeOf[i]?.[source?.keyDocs[from] ?? 0] ?? deletedDocument;
    if (place === deletedDocument) continue;
    keys[at] = source?.keys[from] ?? 0;
    keyDocs[at++] = place;
    if (at % keysBetweenPauses === 0) yield;
  }
}

function leastOf(inputs: readonly MergeInput[], next: readonly number[]): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  inputs.forEach(({ segment }, i) => {
    const key = segment.sections.keys[next[i] ?? 0] ?? Number.POSITIVE_INFINITY;
    if (key < least || (best < 0 && key === least)) {
      best = i;
      least = key;
    }
  });
  return best;
}

const noDocuments = new Uint32Array();

/** The live documents with a key, ascending. */
export function documentsWithKey(
  { keys, keyDocs }: Sections,
  deletions: Deletions | undefined,
  number: number,
): Uint32Array {
  const found: number[] = [];
  for (let at = firstAt(keys, number); keys[at] === number; at++) {
    const doc = keyDocs[at] ?? 0;
    if (deletions === undefined || !isDeleted(deletions, doc)) found.push(doc);
  }
  return found.length === 0 ? noDocuments : Uint32Array.from(new Set(found)).sort();
}

function firstAt(keys: Float64Array, number: number): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
