import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { colourNames, comparable } from "../understanding/colours.ts";
import type { Asked } from "../understanding/conversation/product-question.ts";
import { materialNames } from "../understanding/things.ts";

/** Questions that a data field answers. For all others, the texts of the product are searched. */
const dataFields = ["price", "rating", "brand", "store", "availability"] as const;
export type DataField = (typeof dataFields)[number];

/** What is known for the question. */
export type Facts = { field: DataField } | { quote: string } | undefined;

const number = "\\d+(?:[.,]\\d+)?";
const numberWord = "(?:\\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve)";
const measures = {
  size: new RegExp(
    `${number} ?(?:mm|cm|m|km|inch(?:es)?|in\\.|ft|feet|foot|"|ml|cl|l|lit(?:er|re)s?|oz)\\b|\\bsize\\b|${number} ?(?:x|×) ?${number}`,
    "iu",
  ),
  weight: new RegExp(`${number} ?(?:kg|g|grams?|kilograms?|kilos?|lbs?|pounds?|oz|ounces?)\\b`, "iu"),
  duration: new RegExp(`\\b${numberWord}[ -](?:hours?|days?|weeks?|months?|years?|minutes?|h)\\b`, "iu"),
};
const maxQuoteLength = 200;

/** Finds the answer to a question in a product's data and texts; undefined if they do not say. */
export function factsAbout(product: StoredProduct, topic: Asked): Facts {
  const field = dataFields.find((name) => name === topic);
  if (field !== undefined) return hasField(product, field) ? { field } : undefined;
  const quote = quoteAbout(product, topic);
  return quote === undefined ? undefined : { quote };
}

function hasField({ brand, averageRating }: StoredProduct, field: DataField): boolean {
  if (field === "brand") return brand !== undefined;
  return field === "rating" ? averageRating !== undefined : true;
}

function quoteAbout({ name, description }: StoredProduct, topic: Asked): string | undefined {
  const sentences = sentencesOf(description);
  if (topic === "everything") return sentences.slice(0, 2).join(" ").slice(0, maxQuoteLength) || undefined;
  const says = saysOf(topic);
  // The name is also a text of the product: "Stoneware mug, 350 ml".
  return [...sentences, name].find((text) => text.length <= maxQuoteLength && says(text));
}

function saysOf(topic: Asked): (text: string) => boolean {
  if (typeof topic === "object") return (text) => saysAll(text, topic.words);
  if (topic === "colour") return (text) => hasWordOf(text, colourNames);
  if (topic === "material") return (text) => hasWordOf(text, materialNames);
  const measure =
    topic === "size" || topic === "weight" || topic === "duration" ? measures[topic] : undefined;
  return (text) => measure?.test(text) ?? false;
}

/** The text must have every word of the question in some form: "wash" matches "washable". */
function saysAll(text: string, words: readonly string[]): boolean {
  const said = comparable(text).split(" ");
  const asked = words.map(comparable).filter((word) => word !== "");
  return asked.length > 0 && asked.every((word) => said.some((other) => isSameRoot(word, other)));
}

const shortestRoot = 4;

/** "Wash" and "washable". */
export function isSameRoot(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length >= shortestRoot && long.startsWith(short);
}

function hasWordOf(text: string, words: ReadonlySet<string>): boolean {
  return (text.toLowerCase().match(/\p{L}+/gu) ?? []).some((word) => words.has(word));
}

export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?])\s+/u).filter((sentence) => sentence.trim() !== "");
}
