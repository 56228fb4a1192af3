import { fromMinor } from "@product-search/core/domain/price/money.ts";
import {
  type Constraints,
  isContradictory,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { MeasureRange } from "@product-search/core/ports/text-search.ts";
import { formatPrice, formatRating } from "../answer/format.ts";
import type { Part, Retrieved } from "../retrieval/retrieve.ts";
import type { ProductQuestion } from "../understanding/conversation/resolve-question.ts";
import type { Intent, Sorting, Understanding } from "../understanding/understanding.ts";
import { giftWords, peopleWords } from "../understanding/word-lists.ts";

const isGift = (word: string): boolean => giftWords.has(word);

const orders: Record<Sorting["sort"], Record<Sorting["order"], string | undefined>> = {
  relevance: { asc: undefined, desc: undefined },
  price: { asc: "lowest price first", desc: "highest price first" },
  "price:relevance": { asc: "lowest price first", desc: "highest price first" },
  rating: { asc: "worst rated first", desc: "best rated first" },
  discount: { asc: "smallest reduction first", desc: "biggest reduction first" },
};

/** One line for users: how the request was understood, and which constraints were relaxed. */
export function describe(understanding: Understanding, { parts }: Retrieved, currency: string): string {
  if (understanding.question !== undefined) return describeQuestion(understanding.question);
  if (understanding.referred !== undefined)
    return `Comparison of ${understanding.referred.map(({ name }) => plain(name)).join(" and ")}`;
  if (understanding.intents.length === 0) return "No product search";
  const price = (minor: number): string => formatPrice(fromMinor(minor, currency), currency);
  const { sharedBudgetMinor, sorting, asksForNewest } = understanding;
  const intents = understanding.intents.map((intent, index) => describePart(intent, parts[index], price));
  const notes = [
    ...(sharedBudgetMinor === undefined ? [] : [`together up to ${price(sharedBudgetMinor)}`]),
    ...[orders[sorting.sort][sorting.order] ?? []].flat(),
    ...(asksForNewest ? ["not sorted by age, which the catalog does not know"] : []),
    ...(understanding.intents.some(({ constraints }) => isContradictory(constraints))
      ? ["the price bounds contradict each other"]
      : []),
  ];
  return [intents.join(" and "), ...notes].join("; ");
}

function describeQuestion({ product, topic }: ProductQuestion): string {
  const about = product === undefined ? "a product that is not known" : plain(product.name);
  const what = typeof topic === "string" ? topic : topic.words.map(plain).join(" ");
  return `Question about ${about}${what === "" ? "" : `: ${what}`}`;
}

function describePart(intent: Intent, part: Part | undefined, price: (minor: number) => string): string {
  const asked = describeIntent(intent, price);
  if (part === undefined) return asked;
  const { relaxed, droppedWords, correctedText, served, hits } = part;
  const notes = [
    ...(correctedText === undefined ? [] : [`read as "${plain(correctedText)}"`]),
    ...(served === undefined
      ? []
      : [`by "${served.by}" for ${served.words.map((word) => `"${plain(word)}"`).join(", ")}`]),
    ...relaxed.filter((name) => name !== "words" && name !== "purpose").map((name) => `${name} set aside`),
    ...(droppedWords.length === 0
      ? []
      : [
          `without the ${droppedWords.length === 1 ? "word" : "words"} ${droppedWords.map((word) => `"${plain(word)}"`).join(", ")}`,
        ]),
    ...(intent.absent !== undefined ? ["not in the catalog"] : hits.total === 0 ? ["nothing found"] : []),
  ];
  return notes.length === 0 ? asked : `${asked} (${notes.join("; ")})`;
}

function describeIntent(
  { words, purpose, wishes, asksForQuality, kinds = [], constraints }: Intent,
  price: (minor: number) => string,
): string {
  const { categories = [] } = constraints;
  const said = [...words, ...purpose];
  const text = said.length === 0 ? [] : [`"${plain(said.join(" "))}"`];
  const things = [...new Set([...categories, ...kinds.map(({ name }) => name)])].join(" or ");
  const subject = [...(things === "" ? [] : [things]), ...text].join(": ") || "Products";
  // A product is not "mum first", and a gift is shown once.
  const shown = wishes.filter(
    (word) => !peopleWords.has(word) && !(giftWords.has(word) && words.some(isGift)),
  );
  const first = [...shown, ...(asksForQuality ? ["well rated"] : [])].map(plain);
  return [
    subject,
    ...describeConstraints(constraints, price),
    ...(first.length === 0 ? [] : [`${first.join(" and ")} first`]),
  ].join(", ");
}

function describeConstraints(constraints: Constraints, price: (minor: number) => string): string[] {
  const {
    minPriceMinor,
    maxPriceMinor,
    minRating,
    minDiscount,
    availability,
    brands,
    stores,
    colours,
    attributes,
    measures,
    without,
  } = constraints;
  const rows: [unknown, () => string][] = [
    [minPriceMinor ?? maxPriceMinor, () => priceRange(minPriceMinor, maxPriceMinor, price)],
    [brands, () => `brand ${brands?.join(" or ")}`],
    [stores, () => `store ${stores?.join(" or ")}`],
    [colours, () => `colour ${colours?.map((group) => group.join(" or ")).join(" and ")}`],
    [
      attributes,
      () =>
        (attributes ?? [])
          .map(({ name, values }) => `${name} ${typedValues(values).join(" or ")}`)
          .join(" and "),
    ],
    [measures, () => (measures ?? []).map(measureRange).join(" and ")],
    [minRating, () => `rated ${formatRating(minRating ?? 0)} and up`],
    [minDiscount, () => ((minDiscount ?? 0) > 1 ? `at least ${minDiscount}% off` : "reduced in price")],
    [availability, () => (availability ?? []).join(" or ").replaceAll("_", " ")],
    [without, () => `without ${without?.map(plain).join(" or ")}`],
  ];
  return rows.flatMap(([value, text]) => (value === undefined ? [] : [text()]));
}

function measureRange({ unit, min, max }: MeasureRange): string {
  if (min === undefined) return `up to ${max} ${unit}`;
  return max === undefined ? `from ${min} ${unit}` : `${min} to ${max} ${unit}`;
}

function priceRange(
  min: number | undefined,
  max: number | undefined,
  price: (minor: number) => string,
): string {
  if (min === undefined) return `price up to ${price(max ?? 0)}`;
  return max === undefined ? `price from ${price(min)}` : `price from ${price(min)} to ${price(max)}`;
}

/** Words of the user are shown with letters, digits and spaces only. */
function plain(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N}' -]/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
}

/** Values without the letters that stand for them: "large" is L too. */
function typedValues(values: readonly string[]): string[] {
  const typed = values.filter((value) => value === value.toLowerCase());
  return (typed.length > 0 ? typed : values.slice(0, 1)).map(plain);
}
