import { createRandom, type Random } from "@product-search/sample-catalog";
import type { SearchQuery } from "@product-search/text-index";
import { sampleDocument } from "./sample-documents.ts";

const kinds = {
  broad: 0.2,
  selective: 0.2,
  "several words": 0.2,
  typo: 0.1,
  prefix: 0.1,
  "price filter": 0.1,
  "price sort": 0.05,
  "deep page": 0.05,
} as const;
export type QueryKind = keyof typeof kinds;

export interface MixedQuery {
  readonly kind: QueryKind;
  readonly query: SearchQuery;
}

/** Queries of every kind about things in the sample catalog; always the same for the same seed. */
export function mixedQueries(count: number, products: number, seed: number): MixedQuery[] {
  const random = createRandom(seed);
  const queries: MixedQuery[] = [];
  for (const [kind, share] of Object.entries(kinds) as [QueryKind, number][]) {
    for (let i = 0; i < Math.round(count * share); i++) {
      queries.push({ kind, query: { offset: 0, limit: 20, ...makers[kind](random, products) } });
    }
  }
  return queries;
}

/** Those that an engine without corrections, synonyms and beginnings of words can answer, and only as it would. */
export function exactQueries(count: number, products: number, seed: number): MixedQuery[] {
  return mixedQueries(count, products, seed)
    .filter(({ kind }) => isExact(kind))
    .map(({ kind, query }) => ({ kind, query: { ...query, ...exactly } }));
}

/** Every word, as it is written. Otherwise, there are synonyms, and nothing is found for a thing that no product is. */
export const exactly = { everyWord: true, asWritten: true } as const;

export function isExact(kind: QueryKind): boolean {
  return kind !== "typo" && kind !== "prefix";
}

type Maker = (random: Random, products: number) => Partial<SearchQuery> & { text: string };

const makers: Record<QueryKind, Maker> = {
  broad: (random, products) => ({ text: random.pick(commonWords(pick(random, products))) }),
  selective: (random, products) => {
    const document = pick(random, products);
    return { text: `${random.pick(modelWords(document))} ${random.pick(commonWords(document))}` };
  },
  "several words": (random, products) => {
    const document = pick(random, products);
    const words = wordsOf(`${document.fields.name} ${document.fields.description}`);
    return { text: Array.from({ length: random.integer(3, 4) }, () => random.pick(words)).join(" ") };
  },
  typo: (random, products) => ({ text: misspell(random, random.pick(commonWords(pick(random, products)))) }),
  prefix: (random, products) => {
    const [first = "", second = ""] = wordsOf(pick(random, products).fields.name);
    return { text: `${first} ${second.slice(0, random.integer(3, 4))}` };
  },
  "price filter": (random, products) => {
    const document = pick(random, products);
    const maxPriceMinor = Math.round(document.priceMinor * 1.2);
    return {
      text: random.pick(commonWords(document)),
      filters: { minPriceMinor: Math.round(document.priceMinor * 0.8), maxPriceMinor },
    };
  },
  "price sort": (random, products) => ({
    text: random.pick(commonWords(pick(random, products))),
    sort: "price",
  }),
  "deep page": (random, products) => ({
    text: random.pick(commonWords(pick(random, products))),
    offset: random.integer(100, 498) * 20,
  }),
};

function pick(random: Random, products: number) {
  return sampleDocument(random.integer(0, products - 1));
}

/** Words of the category and the description, each of which thousands of products have. */
function commonWords({ fields }: ReturnType<typeof sampleDocument>): [string, ...string[]] {
  const [first = "shoes", ...others] = wordsOf(`${fields.category} ${fields.description}`);
  return [first, ...others];
}

/** Words of the name that are not in the description, mostly model and brand. */
function modelWords({ fields }: ReturnType<typeof sampleDocument>): [string, ...string[]] {
  const common = new Set(wordsOf(fields.description));
  const [first = "shoes", ...others] = wordsOf(fields.name).filter((word) => !common.has(word));
  return [first, ...others];
}

/** Words that every engine reads in the same way: only letters, no function words. */
function wordsOf(text: string): [string, ...string[]] {
  const [first = "shoes", ...others] = (text.toLowerCase().match(/\b[a-z]{4,}\b/g) ?? []).filter(
    (word) => !["this", "that", "with", "from", "your", "into"].includes(word),
  );
  return [first, ...others];
}

function misspell(random: Random, word: string): string {
  const at = random.integer(1, word.length - 2);
  const swapped = word.slice(0, at) + (word[at + 1] ?? "") + (word[at] ?? "") + word.slice(at + 2);
  return random.chance(0.5) && swapped !== word ? swapped : word.slice(0, at) + word.slice(at + 1);
}
