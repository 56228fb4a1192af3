import { giveWay } from "../../mechanisms/fair-queue.ts";
import type { MeasureRange } from "../../ports/text-search.ts";
import type { Availability } from "../availability.ts";
import currencies from "./words/currencies.json" with { type: "json" };
import numbers from "./words/numbers.json" with { type: "json" };

/** The meaning of a phrase. */
export interface Meaning {
  constraints?: Constraints;
  /** A quoted part of the text: its words are searched for, whatever they mean. */
  quoted?: string;
}

/** A row of a phrase table: the pattern, and its meaning (undefined if the match has none after all). */
export interface Phrase<Said extends Meaning = Meaning> {
  pattern: RegExp;
  read: (match: RegExpExecArray, context: PhraseContext) => Said | undefined;
}

export interface PhraseContext {
  toMinor: (amount: number) => number;
}

const inWhole: PhraseContext = { toMinor: (amount) => amount };

/** A text in which every recognised phrase is replaced by a mark, "⟦3⟧", at its position. */
export interface MarkedText<Said extends Meaning = Meaning> {
  traced: TracedText;
  meanings: readonly Said[];
}

export function phrase<Said extends Meaning = Meaning>(
  source: string,
  read: Phrase<Said>["read"],
): Phrase<Said> {
  return { pattern: new RegExp(source, "g"), read };
}

/** Replaces every match of the phrase by its mark. */
function markPhrase<Said extends Meaning>(
  { traced, meanings }: MarkedText<Said>,
  { pattern, read }: Phrase<Said>,
  context: PhraseContext = inWhole,
): MarkedText<Said> {
  const added = [...meanings];
  const rewritten = rewrite(traced, pattern, (match) => {
    const meaning = read(match, context);
    return meaning === undefined ? undefined : ` ${mark(added.push(meaning) - 1)} `;
  });
  return { traced: rewritten, meanings: added };
}

const pieceMs = 2;

/**
 * Replaces every match of the table by its mark, row by row. A thread compiles a pattern when it first uses it, once for plain
 * text and once for other text: a table takes 50 ms then, so that others have their turn between its rows.
 */
export async function markPhrases<Said extends Meaning>(
  marked: MarkedText<Said>,
  table: readonly Phrase<Said>[],
  context?: PhraseContext,
): Promise<MarkedText<Said>> {
  let startMs = performance.now();
  let current = marked;
  for (const row of table) {
    current = markPhrase(current, row, context);
    if (performance.now() - startMs < pieceMs) continue;
    await giveWay();
    startMs = performance.now();
  }
  return current;
}

export const markPattern = /⟦(\d+)⟧/g;

function mark(index: number): string {
  return `⟦${index}⟧`;
}

/**
 * A text that is rewritten step by step. For each of its characters it knows the part of the source that it comes
 * from.
 */
export interface TracedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** `text` is the source, or the source in another letter case of the same length. */
export function traceText(text: string): TracedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** Replaces the matches of the global pattern. If `replace` returns undefined, the match stays. */
export function rewrite(
  traced: TracedText,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): TracedText {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let read = 0;
  const copyUntil = (end: number): void => {
    pieces.push(traced.text.slice(read, end));
    for (let index = read; index < end; index++) {
      starts.push(traced.starts[index] ?? 0);
      ends.push(traced.ends[index] ?? 0);
    }
  };
  for (const match of traced.text.matchAll(pattern)) {
    const replacement = replace(match);
    if (replacement === undefined) continue;
    copyUntil(match.index);
    read = match.index + match[0].length;
    pieces.push(replacement);
    for (let index = 0; index < replacement.length; index++) {
      starts.push(traced.starts[match.index] ?? 0);
      ends.push(traced.ends[read - 1] ?? 0);
    }
  }
  if (pieces.length === 0) return traced;
  copyUntil(traced.text.length);
  return { text: pieces.join(""), starts, ends };
}

/** Words or phrases by language. */
export type WordsByLanguage = Readonly<Record<string, readonly string[]>>;

/**
 * A letter or digit of any script, as "anything but space and punctuation". Such patterns compile a hundred times
 * faster than with \p{L}.
 */
const marks = "\\s!-\\/:-@\\[-`{-~¤⟦⟧≈≤≥“”„«»€£¥₹₺₩";
export const letter = `[^${marks}]`;
export const letterButNoDigit = `[^\\d${marks}]`;

/** A pattern that matches any of the words, but not inside a longer word. */
export function alternation(...lists: readonly (WordsByLanguage | readonly string[])[]): string {
  const words = [...new Set(lists.flatMap((list) => Object.values(list).flat()))];
  const isWord = new RegExp(letter);
  const signs = words.filter((word) => !isWord.test(word));
  const others = words.filter((word) => isWord.test(word));
  const parts = [
    ...(others.length > 0
      ? [`(?<!${letter})(?:${maxFirstLength(others)})(?:(?<!${letter})|(?!${letter}))`]
      : []),
    ...(signs.length > 0 ? [maxFirstLength(signs)] : []),
  ];
  return `(?:${parts.join("|")})`;
}

function maxFirstLength(words: readonly string[]): string {
  return words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"))
    .join("|");
}

/** The constraints of a text in plain words on products. */
export interface Constraints {
  /** Both bounds are inclusive; never relaxed. */
  minPriceMinor?: number;
  maxPriceMinor?: number;
  minRating?: number;
  minDiscount?: number;
  availability?: readonly Availability[];
  brands?: readonly string[];
  stores?: readonly string[];
  categories?: readonly string[];
  /** A product must have one colour of each group; a group has spellings and alternatives. */
  colours?: readonly (readonly string[])[];
  /** Each must hold: size 42. */
  attributes?: readonly { name: string; values: readonly string[] }[];
  /** Bounds in a unit, each for every attribute that has it. */
  measures?: readonly MeasureRange[];
  /** Products with any of these words are excluded; never relaxed. */
  without?: readonly string[];
}

/** True if no price can be within the bounds. */
export function isContradictory({ minPriceMinor, maxPriceMinor }: Constraints): boolean {
  return minPriceMinor !== undefined && maxPriceMinor !== undefined && minPriceMinor > maxPriceMinor;
}

/**
 * Combines two sets of constraints that must both be met: the narrower bound is used, lists of alternatives are
 * joined, colours add up.
 */
export function mergeConstraints(first: Constraints, second: Constraints): Constraints {
  const merged: Constraints = { ...first };
  narrow(merged, second, "maxPriceMinor", Math.min);
  narrow(merged, second, "minPriceMinor", Math.max);
  narrow(merged, second, "minRating", Math.max);
  narrow(merged, second, "minDiscount", Math.max);
  if (second.measures !== undefined)
    merged.measures = second.measures.reduce(withMeasure, merged.measures ?? []);
  for (const key of ["brands", "stores", "categories", "without", "colours", "availability"] as const) {
    join(merged, second, key);
  }
  return merged;
}

/** "Over 20 cm and under 50 cm" is one range. */
function withMeasure(measures: readonly MeasureRange[], { unit, min, max }: MeasureRange): MeasureRange[] {
  const former = measures.find((one) => one.unit === unit);
  const least = Math.max(former?.min ?? Number.NEGATIVE_INFINITY, min ?? Number.NEGATIVE_INFINITY);
  const most = Math.min(former?.max ?? Number.POSITIVE_INFINITY, max ?? Number.POSITIVE_INFINITY);
  return [
    ...measures.filter((one) => one !== former),
    {
      unit,
      ...(Number.isFinite(least) && { min: least }),
      ...(Number.isFinite(most) && { max: most }),
    },
  ];
}

type Bound = "maxPriceMinor" | "minPriceMinor" | "minRating" | "minDiscount";

function narrow(
  merged: Constraints,
  other: Constraints,
  key: Bound,
  choose: (a: number, b: number) => number,
): void {
  const value = other[key];
  if (value !== undefined) merged[key] = choose(merged[key] ?? value, value);
}

function join<Key extends "brands" | "stores" | "categories" | "without" | "colours" | "availability">(
  merged: Pick<Constraints, Key>,
  other: Pick<Constraints, Key>,
  key: Key,
): void {
  const values = other[key];
  if (values === undefined) return;
  const known = merged[key] ?? [];
  const unique = new Map([...known, ...values].map((value) => [String(value), value]));
  Object.assign(merged, { [key]: [...unique.values()] });
}

/** An opening quotation mark never follows a letter or digit, so that the inch marks of `12" x 24"` quote nothing. */
const pattern = /(?<![\p{L}\p{N}"])(?:"(?=\S)([^"]*\S)"|[“„«](?=\S)([^”“»]*\S)[”“»])(?![\p{L}\p{N}"])/gu;

/** Quoted text is searched for unchanged. It is marked first, so that no other table reads it. */
const quotedText: Phrase = {
  pattern,
  read: (match) => ({ quoted: match[1] ?? match[2] ?? "" }),
};

/**
 * "-leather", `-"rubber sole"`: a minus before a word excludes it. Not before a digit, and not inside a word ("usb-c"). Other dashes
 * are a minus here already.
 */
const minus =
  /(?<=^|\s)-(?:"([^"]*[\p{L}\p{N}][^"]*)"|[“„«]([^”“»]*[\p{L}\p{N}][^”“»]*)[”“»]|(\p{L}[\p{L}\p{M}\p{N}'-]*))/gu;

const excludedText: Phrase = {
  pattern: minus,
  read: ([, plain, curly, word]) => ({ constraints: { without: [(plain ?? curly ?? word ?? "").trim()] } }),
};

/** Whether a text may have such an exclusion. */
export const minusBeforeWord = /(?:^|\s)[-–—−‐‑]["“„«\p{L}]/u;

const units = new Map(Object.entries(numbers.units));

const scales = new Map(Object.entries(numbers.scales));

const unit = alternation([...units.keys()]);

const scale = alternation([...scales.keys()]);

/** A sequence of number words: "two hundred and fifty", "twenty-five", "a thousand", "four point five". */
const run = new RegExp(
  `(?:\\b(?:a|${unit})[\\s-]+${scale}|${unit})(?:(?:[\\s-]+and)?[\\s-]+(?:${unit}|${scale}))*(?:\\s+point\\s+${unit})?`,
  "g",
);

/** Marks an amount of money: "$1,299.50" becomes "1299.5¤". */
export const moneyMark = "¤";

const codes = currencies.flatMap((currency) => currency.codes).map((code) => code.toLowerCase());
const signs = currencies.flatMap((currency) => currency.signs);
const names = currencies.flatMap((currency) => currency.names);
const digits = "\\d+(?:[.,' \\u00a0]\\d{3})*(?:[.,]\\d+)?k?";
/** "30 euro style" is not a price. */
const notBefore = "(?![ -](?:style|styled|top|cup|size|sham|bill|pillow|plug|hinge|cylinder|sign))";

const beforeAmount = new RegExp(
  `(?<!-)${alternation(signs, codes)}\\s*(${digits})(?![\\d.,]*\\d|\\s*/)`,
  "g",
);
const afterAmount = new RegExp(
  `(?<![\\d.,])(${digits})\\s*(?:${alternation(signs)}|,-|\\.-|(?<=\\s|\\d)(?:${[...codes, ...names].join("|")})(?!${letter})${notBefore})`,
  "g",
);
const plainAmount = new RegExp(`(?<!${letter}|[.,⟦])(${digits})(?!${letter}|¤|[.,]\\d)`, "g");
const cents = /(\d+)\s*(?:cents?|pence)(?!\w)/g;

/** The remaining punctuation. The second pattern is equivalent for texts without other letters, and faster. */
const odd = /[^\p{L}\p{M}\p{N}¤,.%+*~≈<>≤≥=/&'"⟦⟧-]/gu;
const oddAscii = /[^a-z\d¤,.%+*~<>=/&'"⟦⟧-]/g;
const isAscii = /^[\0-\x7f¤⟦⟧]*$/;

/**
 * The text in the form that phrase tables read: lower case, without markup and links, numbers in digits with a point,
 * money marked, and without punctuation that could be read as a mark. Quoted text is marked and not changed, and so is what a minus excludes.
 */
export function normalise(source: string): MarkedText {
  const plain: MarkedText = { traced: withoutMarkup(lowerCase(source)), meanings: [] };
  const { traced, meanings } = markPhrase(markPhrase(plain, excludedText), quotedText);
  return { traced: joinSpaces(markAmounts(replaceNumberWords(traced))), meanings };
}

function lowerCase(source: string): TracedText {
  // The only letter that is longer in lower case, which would shift all later positions.
  const lower = source.replaceAll("İ", "i").toLowerCase();
  return rewrite(traceText(lower), /[^\0-\x7f]/gu, ([character]) => {
    const plain = character.normalize("NFKC");
    return plain === character ? undefined : plain;
  });
}

function withoutMarkup(traced: TracedText): TracedText {
  const blank = (pattern: RegExp) => (text: TracedText) => rewrite(text, pattern, () => " ");
  const steps = [
    blank(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gs),
    blank(/<\/?[a-z!][^>]*>/g),
    blank(/\b(?:https?:\/\/|www\.)\S+/g),
    blank(/[⟦⟧¤]/g),
    (text: TracedText) => rewrite(text, /[’‘`´]/g, () => "'"),
    (text: TracedText) => rewrite(text, /[–—−‐‑]/g, () => "-"),
  ];
  return steps.reduce((text, step) => step(text), traced);
}

function markAmounts(traced: TracedText): TracedText {
  const money = ([, amount = ""]: RegExpExecArray): string => ` ${readAmount(amount)}${moneyMark} `;
  const inCents = rewrite(traced, cents, ([, amount]) => ` ${Number(amount) / 100}${moneyMark} `);
  const marked = rewrite(rewrite(inCents, beforeAmount, money), afterAmount, money);
  return rewrite(marked, plainAmount, ([, amount = ""]) => ` ${readAmount(amount)} `);
}

function joinSpaces(traced: TracedText): TracedText {
  const separated = rewrite(traced, /\.(?!\d)|[;:!?()\n]/g, () => " , ");
  const plain = rewrite(separated, isAscii.test(separated.text) ? oddAscii : odd, () => " ");
  return rewrite(
    rewrite(plain, / {2,}/g, () => " "),
    /^ | $/g,
    () => "",
  );
}

/**
 * "1.299,50", "1,299.50", "1 299.5" and "1.3k": the last separator is the decimal one if one or two digits follow it.
 */
function readAmount(text: string): number {
  const factor = text.endsWith("k") ? 1000 : 1;
  const plain = text.replace(/k$/, "").replace(/[' \u00a0]/g, "");
  const mark = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  if (mark < 0) return Number(plain) * factor;
  const fraction = plain.slice(mark + 1);
  const whole = plain.slice(0, mark).replace(/[.,]/g, "");
  const isThousands = fraction.length === 3 && whole !== "0" && factor === 1;
  return (isThousands ? Number(whole + fraction) : Number(`${whole}.${fraction}`)) * factor;
}

/** "under two hundred and fifty" → "under 250". A single "one" stays, because it is usually a pronoun. */
function replaceNumberWords(traced: TracedText): TracedText {
  return rewrite(traced, run, ([words]) => (words === "one" ? undefined : readRun(words)));
}

function readRun(words: string): string {
  const [whole = "", fraction] = words.split(/\s+point\s+/);
  let total = 0;
  let current = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const word of whole.split(/[\s-]+/)) {
    const factor = scales.get(word);
    const value = units.get(word) ?? (word === "a" ? 1 : undefined);
    if (factor === 100) current = (current || 1) * factor;
    else if (factor !== undefined) {
      total += (current || 1) * factor;
      current = 0;
    } else if (value !== undefined) {
      // "five six" is not one number: two units in a row stay separate, as "5 6".
      if (current % 100 !== 0 && !(previous >= 20 && value < 10)) return `${total + current} ${value}`;
      current += value;
      previous = value;
    }
  }
  const digits = fraction === undefined ? "" : `.${units.get(fraction) ?? 0}`;
  return `${total + current}${digits}`;
}
