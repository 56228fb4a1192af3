import { fromMinor } from "@product-search/core/domain/price/money.ts";
import {
  type AnswerBrief,
  type AnswerField,
  type AnswerPart,
  type AnswerProduct,
  answerFields,
} from "@product-search/core/ports/answer-writer.ts";
import { formatCount, formatPrice, formatRating } from "./format.ts";

export const referencePattern = /\{([^{}]*)\}/g;

/** The text for a reference; undefined if the product has no such value. */
export function resolveReference(reference: string, brief: AnswerBrief): string | undefined {
  if (reference === "currency") return brief.currency;
  if (reference === "total") return formatCount(brief.total);
  const [, part, partField = ""] = /^w(\d)\.(\w+)$/.exec(reference) ?? [];
  if (part !== undefined) return partText(brief.parts[Number(part) - 1], partField);
  const said = wordsOfRequest(reference, brief);
  if (said !== undefined) return said;
  const [, name, fieldName] = /^(p\d+)\.(\w+)$/.exec(reference) ?? [];
  const product = brief.products.find((candidate) => candidate.reference === name);
  const field = answerFields.find((one) => one === fieldName);
  if (product === undefined || !product.speakable || field === undefined) return undefined;
  return fieldTexts[field](product, brief.currency);
}

function partText(part: AnswerPart | undefined, field: string): string | undefined {
  if (field === "said") return part?.wording;
  if (field === "total") return part && formatCount(part.total);
  const [, feature] = /^feature(\d)$/.exec(field) ?? [];
  return part?.features[Number(feature) - 1];
}

/** Words of the request itself, which only the built-in writer repeats, in quotation marks. */
function wordsOfRequest(
  reference: string,
  { unmet, leftOut, served, servedBy, nameSays, topic, onlyKind, nearFor }: AnswerBrief,
): string | undefined {
  if (reference === "served") return served;
  if (reference === "servedBy") return servedBy;
  if (reference === "nameSays") return nameSays?.wording;
  if (reference === "nameSaysBy") return nameSays?.by;
  if (reference === "nearFor") return nearFor;
  if (reference === "asked") return topic;
  if (reference === "onlyKind") return onlyKind?.wording;
  if (reference === "leftOutFrom") return leftOut?.from;
  const [, thing] = /^leftOut\.(\d+)$/.exec(reference) ?? [];
  if (thing !== undefined) return leftOut?.things[Number(thing) - 1];
  const [, number] = /^unmet\.(\d+)$/.exec(reference) ?? [];
  return unmet[Number(number) - 1]?.wording;
}

/** A name without variant details: a second mention need not repeat colour and size. */
export function shortName(name: string): string {
  const [start = ""] = name.split(/,| \(| [–—|-] /u);
  return start.trim().includes(" ") ? start.trim() : name;
}

const percent = (value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${value}%`;

const fieldTexts: Record<AnswerField, (product: AnswerProduct, currency: string) => string | undefined> = {
  name: ({ name }) => name,
  short: ({ name }) => shortName(name),
  brand: ({ brand }) => brand,
  store: ({ storeName }) => storeName,
  price: ({ priceMinor }, currency) => formatPrice(fromMinor(priceMinor, currency), currency),
  rating: ({ rating }) => (rating === undefined ? undefined : formatRating(rating)),
  discount: ({ discountPercent }) => percent(discountPercent),
  below: ({ belowAveragePercent }) => percent(belowAveragePercent),
  quote: ({ quote }) => quote,
};

/** Replaces the references of a checked sentence by names and numbers. */
export function renderSentence(sentence: string, brief: AnswerBrief): string {
  return sentence
    .replace(referencePattern, (_, reference: string) => resolveReference(reference, brief) ?? "")
    .replace(/\s+/g, " ")
    .trim();
}
