import {
  allWords,
  type LanguageCode,
  languageCodes,
} from "@product-search/core/domain/languages/languages.ts";
import type { PriceEntry, StoredProduct } from "@product-search/core/domain/product.ts";
import { isContradictory } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import type {
  AnswerBrief,
  AnswerOutcome,
  AnswerProduct,
  Relaxable,
  Unmet,
} from "@product-search/core/ports/answer-writer.ts";
import type { Part, Retrieved } from "../retrieval/retrieve.ts";
import { comparable } from "../understanding/colours.ts";
import type { Intent, Understanding } from "../understanding/understanding.ts";
import {
  askedOf,
  isMaker,
  isNamedBy,
  isTogetherWithinLimit,
  nearOf,
  onlyKindOf,
  rangeOf,
  saidOf,
  servedOf,
  shopOf,
} from "./brief-details.ts";
import type { Quote } from "./choose-quotes.ts";
import { statesWords } from "./find-unmet.ts";
import { type AsWritten, isSpeakable, isSpeakableStore } from "./format.ts";
import { type Facts, sentencesOf } from "./product-facts.ts";

const maxFeatures = 2;

const maxLength = 60;

const leastShare = 0.25;

export interface BriefParts {
  request: string;
  history: readonly string[];
  understanding: Understanding;
  retrieved: Retrieved;
  /** One per retrieved product, in their order. */
  histories: readonly (readonly PriceEntry[])[];
  /** The facts for a question about a product. */
  facts: Facts;
  /** One per retrieved product, in their order. */
  quotes: readonly (Quote | undefined)[];
  unmet: readonly Unmet[];
  asWritten: AsWritten;
  leftOut?: AnswerBrief["leftOut"];
  currency: string;
  nowMs: number;
}

const descriptionLength = 200;
/** With at least as many, what an earlier limit leaves out is not missed. */
const fewProducts = 10;
/** So much of what a product has is told to a writer. */
const maxAttributes = 10;
const maxValues = 5;

/** All facts that a writer gets. */
export function buildBrief(parts: BriefParts): AnswerBrief {
  const { request, history, understanding, retrieved, histories, facts, quotes, currency, nowMs } = parts;
  const { unmet, asWritten, leftOut } = parts;
  const { language = "en" } = understanding;
  const products = retrieved.products.map((product, index) => ({
    ...toAnswerProduct(product, `p${index + 1}`, histories[index] ?? [], nowMs),
    ...otherLanguage(product, language),
    ...(quotes[index] !== undefined && { quote: quotes[index].text }),
    quoteIsReason: quotes[index]?.isReason ?? false,
    isNamed: understanding.intents.some((intent) => isNamedBy(intent, product)),
  }));
  const referenceOf = ({ rowId }: StoredProduct): string[] => {
    const index = retrieved.products.findIndex((product) => product.rowId === rowId);
    return index < 0 ? [] : [`p${index + 1}`];
  };
  const intents = retrieved.parts.map(({ intent }) => intent);
  const features = understanding.compares
    ? distinctFeatures(
        retrieved.parts.map((part) => part.products),
        retrieved.products,
      )
    : [];
  return {
    request,
    history,
    outcome: outcomeOf(understanding, retrieved),
    total: retrieved.productCount,
    parts: retrieved.parts.map((part, index) => ({
      total: part.hits.total,
      references: part.products.flatMap(referenceOf),
      ...kindOf(part.intent, part.products),
      ...saidOf(understanding.intents[index], part.intent, asWritten),
      features: features[index] ?? [],
    })),
    unmet,
    ...(leftOut !== undefined && { leftOut }),
    ...servedOf(retrieved, asWritten),
    ...shopOf(retrieved),
    language,
    keptPriceLimit: understanding.keepsPriceLimit === true && retrieved.productCount < fewProducts,
    relaxed: [...new Set(retrieved.parts.flatMap(relaxedOf))],
    nothingCheaper: retrieved.nothingCheaper === true,
    corrected:
      understanding.isCorrected === true ||
      retrieved.parts.some(({ correctedText }) => correctedText !== undefined),
    hasPriceBound:
      understanding.sharedBudgetMinor !== undefined ||
      intents.some(
        ({ constraints: { minPriceMinor, maxPriceMinor } }) => (minPriceMinor ?? maxPriceMinor) !== undefined,
      ),
    sortedBy: sortedBy(understanding),
    ...nearOf(retrieved, asWritten),
    isMaker: understanding.intents.some((intent) => isMaker(intent, request)),
    ...rangeOf(retrieved),
    ...onlyKindOf(retrieved, asWritten),
    ...askedOf(understanding, asWritten),
    ...(facts !== undefined && "field" in facts && { askedField: facts.field }),
    otherCurrency: understanding.otherCurrency ?? false,
    asksForNewest: understanding.asksForNewest ?? false,
    asksForPopular: understanding.asksForPopular ?? false,
    togetherWithinLimit: isTogetherWithinLimit(retrieved),
    ...(retrieved.together !== undefined && { together: retrieved.together.flatMap(referenceOf) }),
    products,
    currency,
  };
}

/** The kind of thing that a part is about, in the catalog's words. */
function kindOf(
  { kinds = [], constraints: { categories = [] } }: Intent,
  products: readonly StoredProduct[],
): { kind?: string } {
  const [only, ...others] = kinds;
  if (only !== undefined && others.length === 0) return { kind: plural(only.name.toLowerCase()) };
  const [category] = categories;
  const isCategory = products.every((product) => product.category === category);
  return category === undefined || categories.length > 1 || !isCategory
    ? {}
    : { kind: category.toLowerCase() };
}

/** Words that were set aside for the search are not, if the best product has them all the same. */
function relaxedOf({ relaxed, droppedWords, products: [best] }: Part): readonly Relaxable[] {
  const isMet = droppedWords.length > 0 && best !== undefined && statesWords(best, droppedWords);
  return isMet ? relaxed.filter((name) => name !== "words" && name !== "purpose") : relaxed;
}

/** Names of kinds are English: "writing desk". */
function plural(name: string): string {
  return name.endsWith("s") ? name : `${name}${/(?:x|ch|sh)$/u.test(name) ? "es" : "s"}`;
}

function outcomeOf(
  { topic, intents, question, compares }: Understanding,
  retrieved: Retrieved,
): AnswerOutcome {
  const { productCount, parts } = retrieved;
  if (topic !== undefined) return topic;
  if (question !== undefined)
    return productCount > 0 ? "product" : question.isReference ? "unclear product" : "unknown product";
  if (compares && parts.every(({ products }) => products.length > 0)) return "comparison";
  if (productCount > 0) return retrieved.shop === undefined ? "found" : "shop";
  if (intents.some(({ absent }) => absent !== undefined)) return "absent";
  return intents.some(({ constraints }) => isContradictory(constraints)) ? "contradiction" : "nothing";
}

function sortedBy({ sorting: { sort, order } }: Understanding): AnswerBrief["sortedBy"] {
  switch (sort) {
    case "relevance":
    case "rating":
    case "discount":
      return sort;
    case "price":
    case "price:relevance":
      return order === "asc" ? "lowest price" : "highest price";
    default:
      return sort satisfies never;
  }
}

function otherLanguage(
  product: StoredProduct,
  language: AnswerBrief["language"],
): Pick<AnswerProduct, "descriptionLanguage"> {
  const own = descriptionLanguage(product);
  return own === undefined || own === language ? {} : { descriptionLanguage: own };
}

function toAnswerProduct(
  product: StoredProduct,
  reference: string,
  history: readonly PriceEntry[],
  nowMs: number,
): Omit<AnswerProduct, "quoteIsReason" | "isNamed"> {
  const { name, brand, storeName, priceMinor, reviewCount, availability, category, averageRating } = product;
  const discount = Math.round(product.discountVal);
  const below = belowAveragePercent(history, nowMs);
  return {
    reference,
    name,
    storeName,
    priceMinor,
    reviewCount,
    availability,
    description: product.description.slice(0, descriptionLength),
    speakable: isSpeakable(name) && isSpeakable(brand ?? "") && isSpeakableStore(storeName),
    ...(brand !== undefined && { brand }),
    ...(category !== undefined && { category }),
    ...speakableAttributes(product),
    ...(averageRating !== undefined && { rating: averageRating }),
    ...(discount >= 1 && { discountPercent: discount }),
    ...(below !== undefined && { belowAveragePercent: below }),
  };
}

function speakableAttributes({ attributes = {} }: StoredProduct): Pick<AnswerProduct, "attributes"> {
  const all = Object.entries(attributes)
    .filter(([name]) => isSpeakable(name))
    .map(([name, values]) => [name, values.filter(isSpeakable).slice(0, maxValues)] as const)
    .filter(([, values]) => values.length > 0)
    .slice(0, maxAttributes);
  return all.length === 0 ? {} : { attributes: Object.fromEntries(all) };
}

/**
 * For each list of products, the features that several descriptions of those shown mention and no product of the other lists
 * does: backpacks have a laptop compartment, tote bags have long handles.
 */
function distinctFeatures(
  lists: readonly (readonly StoredProduct[])[],
  shown: readonly StoredProduct[],
): string[][] {
  const counts = lists.map(countFeatures);
  return lists.map((list, index) => {
    const named = list.filter((product) => shown.includes(product));
    const own = countFeatures(named);
    const others = counts.filter((_, other) => other !== index);
    const least = Math.max(1, leastShare * named.length);
    return [...own]
      .filter(([key, { count }]) => count >= least && !others.some((other) => other.has(key)))
      .toSorted(([, one], [, other]) => other.count - one.count)
      .slice(0, maxFeatures)
      .map(([, { text }]) => text);
  });
}

interface Counted {
  text: string;
  count: number;
}

function countFeatures(products: readonly StoredProduct[]): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (const text of products.flatMap(featuresOf)) {
    const key = comparable(text);
    const { count = 0, text: known = text } = counts.get(key) ?? {};
    // In the middle of a sentence: "long handles" of one product, and "Long handles" of another.
    counts.set(key, { text: startsSmall(known) ? known : text, count: count + 1 });
  }
  return counts;
}

function startsSmall(text: string): boolean {
  return /^\p{Ll}/u.test(text);
}

/** "Laptop compartment, bottle pockets." The first sentence says what the thing is; whole sentences name no feature. */
function featuresOf({ description }: StoredProduct): string[] {
  const pieces = sentencesOf(description)
    .slice(1)
    .filter((sentence) => !/\b(?:is|are)\b|^(?:the|this|it|our|we)\b/iu.test(sentence))
    .flatMap((sentence) => sentence.replace(/[.!?]+$/u, "").split(/, | and /u));
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece.length <= maxLength && isQuotable(piece));
}

function isQuotable(piece: string): boolean {
  return piece.includes(" ") && isSpeakable(piece) && !/[\d“”„«»]/u.test(piece);
}

const dayMs = 24 * 60 * 60 * 1000;
/** The period of the average, and the minimum age of a product for which the average means something. */
const windowDays = 90;
const minDays = 14;
const clearPercent = 5;

/**
 * How many percent the current price is below its average of the last 90 days, weighted by how long each price was in
 * effect; undefined if the difference is small or the history is short.
 */
export function belowAveragePercent(history: readonly PriceEntry[], nowMs: number): number | undefined {
  const from = nowMs - windowDays * dayMs;
  let weighted = 0;
  let total = 0;
  for (const [index, { priceMinor, atMs }] of history.entries()) {
    const start = Math.max(atMs, from);
    const end = Math.min(history[index + 1]?.atMs ?? nowMs, nowMs);
    if (end <= start) continue;
    weighted += priceMinor * (end - start);
    total += end - start;
  }
  const present = history.at(-1)?.priceMinor;
  if (present === undefined || total < minDays * dayMs) return undefined;
  // Prices and times are whole numbers, so this is exact: 20 % stays 20, and nothing is rounded up.
  const percent = Math.floor((100 * (weighted - present * total)) / weighted);
  return percent >= clearPercent ? percent : undefined;
}

const frequentWords = recordOf(languageCodes, (code) => new Set(allWords[code].frequent.split(" ")));

/** The language of a product's description, if it is one of those that answers are written in and is clear. */
export function descriptionLanguage({
  language,
  name,
  description,
}: Pick<StoredProduct, "language" | "name" | "description">): LanguageCode | undefined {
  if (language !== undefined) return languageCodes.find((one) => one === language);
  const words = `${name} ${description}`.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = languageCodes
    .map((one) => ({ known: one, count: words.filter((word) => frequentWords[one].has(word)).length }))
    .toSorted((one, other) => other.count - one.count);
  const [first, second] = counts;
  return first !== undefined && first.count > (second?.count ?? 0) ? first.known : undefined;
}
