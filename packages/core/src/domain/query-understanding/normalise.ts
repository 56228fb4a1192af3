import { alternation, letter } from "./alternation.ts";
import { replaceNumberWords } from "./number-words.ts";
import { type MarkedText, markPhrases } from "./phrase-table.ts";
import { quotedText } from "./quoted-text.ts";
import { rewrite, type TracedText, traceText } from "./traced-text.ts";
import currencies from "./words/currencies.json" with { type: "json" };

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
 * money marked, and without punctuation that could be read as a mark. Quoted text is marked and not changed.
 */
export function normalise(source: string): MarkedText {
  const { traced, meanings } = markPhrases({ traced: withoutMarkup(lowerCase(source)), meanings: [] }, [
    quotedText,
  ]);
  return { traced: tidySpaces(markAmounts(replaceNumberWords(traced))), meanings };
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

function tidySpaces(traced: TracedText): TracedText {
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
