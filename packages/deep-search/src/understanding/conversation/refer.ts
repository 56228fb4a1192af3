import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { comparable } from "../same-word.ts";
import type { Turn } from "./turn.ts";

/** Words that refer to a product of the last answer, and the words of the question after them. */
export interface Reference {
  /** Undefined if the last answer has no such product. */
  product: StoredProduct | undefined;
  rest: string;
}

type Choose = (
  turn: Turn,
  products: readonly StoredProduct[],
  match: RegExpExecArray,
) => StoredProduct | undefined;

const ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
const one = "(?: (?:one|product|item|option|choice|result))?(?: of (?:them|these|those))?";

const references: readonly { pattern: RegExp; choose: Choose }[] = [
  {
    pattern: new RegExp(
      `^(?:the )?(?:(${ordinals.join("|")}|last)|(\\d{1,2})(?:st|nd|rd|th)|number (\\d{1,2}))${one}\\b`,
      "u",
    ),
    choose: (_, products, [, word, ...numbers]) =>
      word === "last" ? products.at(-1) : products[positionOf(word, numbers) - 1],
  },
  {
    // An answer never has this many products.
    pattern: new RegExp(`^the (?:eleventh|twelfth|\\p{L}+teenth|\\p{L}+tieth)${one}\\b`, "u"),
    choose: () => undefined,
  },
  {
    pattern: new RegExp(`^the (?:cheapest|least expensive|cheaper)${one}\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => a.priceMinor - b.priceMinor)[0],
  },
  {
    pattern: new RegExp(`^the (?:most expensive|dearest|priciest)${one}\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => b.priceMinor - a.priceMinor)[0],
  },
  {
    pattern: new RegExp(`^the (?:best|top|highest)[ -]rated${one}\\b|^the best one\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => (b.averageRating ?? 0) - (a.averageRating ?? 0))[0],
  },
  {
    pattern: /^(?:it|they|them|this|that|these|those)(?: (?:one|product|item))?(?:'s)?\b|^(?:its|their)\b/u,
    choose: ({ focus }, products) => focus ?? products[0],
  },
  {
    pattern: /^the (?<words>(?:[\p{L}-]+ ){1,3})one\b/u,
    choose: (_, products, [, words = ""]) => onlyWith(products, words),
  },
];

/** Finds the product of the last answer that the beginning of a text refers to: "it", "the second one", "the red one". */
export async function readReference(text: string, turn: Turn): Promise<Reference | undefined> {
  for (const { pattern, choose } of references) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const product = choose(turn, await turn.products(), match);
    // If several products are red, "the red one" continues with all of them.
    if (product === undefined && match.groups?.words !== undefined) return undefined;
    return { product, rest: text.slice(match[0].length).trim() };
  }
  return undefined;
}

function positionOf(word: string | undefined, numbers: readonly (string | undefined)[]): number {
  if (word !== undefined) return ordinals.indexOf(word) + 1;
  return Number(numbers.find((number) => number !== undefined));
}

/** The only product that has all the words; undefined if several do. */
function onlyWith(products: readonly StoredProduct[], words: string): StoredProduct | undefined {
  const wanted = comparable(words).split(" ");
  const having = products.filter(({ name, brand = "" }) => {
    const own = new Set(comparable(`${name} ${brand}`).split(" "));
    return wanted.every((word) => own.has(word));
  });
  return having.length === 1 ? having[0] : undefined;
}
