import { understand } from "@product-search/deep-search/understanding/understand.ts";
import { openShop } from "../../deep/open-shop.ts";
import { below, mutate, oneOf, type Random } from "../mutate.ts";
import type { FuzzTarget } from "../run-target.ts";

const products = 500;
/** The body of a request to `POST /deep-search`. */
const maxLength = 2000;
const words: readonly [string, ...string[]] = [
  "a",
  "the",
  "for",
  "under",
  "over",
  "between",
  "and",
  "or",
  "not",
  "without",
  "neither",
  "nor",
  "red",
  "schwarz",
  "mug",
  "shoes",
  "laptop",
  "gift",
  "cheaper",
  "better",
  "than",
  "is",
  "it",
  "waterproof?",
  "how",
  "big",
  "which",
  "compare",
  "with",
  "4",
  "stars",
  "$50",
  "80 Euro",
  "1.000,50",
  "1e9",
  "50%",
  "off",
  "in stock",
  "second one",
  "unter",
  "ohne",
  "moins de",
  "sin",
  '"',
  "'",
  "(",
  ")",
  "…",
  "\u200b",
  "\u0301",
  "\u{1f600}",
  "\ud800",
  "ﬁ",
  "İ",
];

/** Requests to deep search: an understanding of every text. */
export async function createRequestTarget(): Promise<FuzzTarget> {
  const { ports, close } = await openShop(products);
  const never = new AbortController().signal;
  const sentence = (random: Random) =>
    Array.from({ length: 1 + below(random, 30) }, () => oneOf(random, words)).join(
      oneOf(random, [" ", " ", ", ", ""]),
    );
  return {
    maxMs: 2000,
    maxGrowthMb: 64,
    next: (random) => mutate(random, Buffer.from(sentence(random)), words).subarray(0, maxLength),
    async run(input) {
      await understand(ports, Buffer.from(input).toString("utf8"), never);
      return "accepted";
    },
    close,
  };
}
