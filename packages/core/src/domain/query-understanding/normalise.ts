import {
  alternation,
  letter,
  type MarkedText,
  markPhrase,
  type Phrase,
  rewrite,
  type TracedText,
  traceText,
} from "./phrase-table.ts";
import currencies from "./words/currencies.json" with { type: "json" };
import numbers from "./words/numbers.json" with { type: "json" };

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
export function readAmount(text: string): number {
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
