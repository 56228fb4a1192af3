import {
  type AnswerBrief,
  type AnswerOutcome,
  type AnswerPart,
  type AnswerProduct,
  type BuiltInAnswerWriter,
  maxSentences,
  type UnmetCondition,
} from "@product-search/core/ports/answer-writer.ts";
import { formatCount } from "../answer/format.ts";
import { alternativeSentences, secondSentences } from "./alternative-sentences.ts";
import {
  comparisonSentences,
  leftOutSentences,
  noteSentences,
  pickSentences,
} from "./comparison-sentences.ts";
import type { Wording } from "./wording.ts";
import { ifRated, isReadable, quoteOf, wordingOf } from "./wording.ts";

const sentences: Record<OtherOutcome, (brief: AnswerBrief, wording: Wording) => string[]> = {
  greeting: (_, { texts: { other } }) => [other.greeting, other.invitation],
  thanks: (_, { texts: { other } }) => [other.thanks, other.thanksMore],
  service: (_, { texts: { other } }) => [other.service, other.invitation],
  question: (_, { texts: { other } }) => [other.question, other.invitation],
  contradiction: (_, { texts: { other } }) => [other.contradiction, other.change],
  absent: absentSentences,
  "unknown product": (_, { texts: { other } }) => [other.unknownProduct, other.check],
  "unclear product": (_, { texts: { other } }) => [other.unclearProduct, other.name],
  nothing: ({ hasPriceBound, otherCurrency }, { texts: { other, notes } }) => [
    ...(otherCurrency ? [notes.currency] : []),
    other.nothing,
    ...(hasPriceBound ? [other.bound] : []),
    other.tryOther,
  ],
};

/** Composes the answer from the products by rules, without a model or key. The same request always gets the same answer. */
export function createBuiltInAnswerWriter(): BuiltInAnswerWriter {
  return {
    plan: async () => undefined,
    nameConditions: conditionSentences,
    async *write(brief, signal) {
      signal.throwIfAborted();
      yield* leftOutSentences(brief, wordingOf(brief.language));
      yield* sentencesOf(brief);
    },
    async repair(_brief, { sentence, fault }) {
      throw new Error(
        `The built-in writer has no other words for "${sentence}", which is refused: ${fault}.`,
      );
    },
  };
}

function sentencesOf(brief: AnswerBrief): string[] {
  const wording = wordingOf(brief.language);
  switch (brief.outcome) {
    case "found":
      return foundSentences(brief, wording);
    case "shop":
      return shopSentences(brief, wording);
    case "comparison":
      return comparisonSentences(brief, wording);
    case "product":
      return productSentences(brief, wording);
    default:
      return otherSentences(brief, brief.outcome, wording);
  }
}

/**
 * What was not met or cannot be known, in one sentence. What was left out and the currency are in others, because they say
 * how the request was read.
 */
function conditionSentences(brief: AnswerBrief, conditions: readonly UnmetCondition[]): string[] {
  const { language, unmet } = brief;
  const wording = wordingOf(language);
  const { texts, fill, quoted, any } = wording;
  const { sentence, exclusion, ...rest } = texts.conditions;
  const phrases: Readonly<Partial<Record<UnmetCondition, string>>> = rest;
  const said = conditions.flatMap((condition) => {
    if (condition === "currency" || condition === "leftOut") return [];
    const phrase = phrases[condition];
    if (phrase !== undefined) return [phrase];
    const words = quoted(`{${condition}}`);
    const isExclusion = unmet.some(
      ({ reason }, index) => reason === "exclusion" && condition === `unmet.${index + 1}`,
    );
    return [isExclusion ? fill(exclusion, { said: words }) : words];
  });
  return [
    ...(said.length > 0 ? [fill(sentence, { said: any(said) })] : []),
    ...(conditions.includes("leftOut") ? leftOutSentences(brief, wording) : []),
    ...(conditions.includes("currency") ? [texts.notes.currency] : []),
  ];
}

/** The answer to a request that found products: what could not be met, which product to choose and why, what else. */
function foundSentences(brief: AnswerBrief, wording: Wording): string[] {
  const notes = noteSentences(brief, wording);
  const best = brief.products.find(({ speakable }) => speakable);
  if (best === undefined) return [...notes, wording.texts.product.list];
  if (brief.parts.length > 1)
    return [...notes, ...severalSentences(brief, wording)].slice(
      0,
      Math.max(maxSentences, brief.parts.length) + 1,
    );
  if (brief.range !== undefined)
    return [...notes, ...rangeSentences(brief, brief.range, best, wording)].slice(0, maxSentences);
  const [pick = "", ...about] = pickSentences(brief, best, wording);
  const sentences = [
    ...notes,
    ...countNote(brief, wording),
    ...onlyKindNote(brief, wording),
    pick,
    ...about,
    ...nextInStock(brief, best, wording),
    ...alternativeSentences(brief, best, wording),
  ];
  return sentences.length > 1
    ? sentences.slice(0, maxSentences)
    : [...sentences, ...secondSentences(brief, best, wording)];
}

/** What a question about the shop asks, and the cheapest of what is shown. */
function shopSentences(brief: AnswerBrief, wording: Wording): string[] {
  const sentence = shopSentence(brief, wording);
  if (sentence === undefined) return foundSentences({ ...brief, outcome: "found" }, wording);
  const [other] = brief.products
    .filter(({ speakable }) => speakable)
    .toSorted((one, two) => one.priceMinor - two.priceMinor);
  const { texts, fill } = wording;
  const isPriced = brief.shop?.asks === "prices" || other === undefined;
  return [
    ...noteSentences(brief, wording),
    sentence,
    ...(isPriced ? [] : [fill(texts.range.cheapest, { other })]),
  ].slice(0, maxSentences);
}

/** "Anything for a picnic?": if only speakers mention one, that is said. */
function onlyKindNote({ onlyKind }: AnswerBrief, { texts, fill, quoted }: Wording): string[] {
  if (onlyKind === undefined) return [];
  return [fill(texts.more.onlyKind, { kinds: onlyKind.kind, said: quoted("{onlyKind}") })];
}

/** If the user asked for an order, an unavailable product may come first. Then the first available one is named as well. */
function nextInStock(
  { sortedBy, products }: AnswerBrief,
  best: AnswerProduct,
  { texts, fill }: Wording,
): string[] {
  if (sortedBy === "relevance" || best.availability === "in_stock") return [];
  const other = products.find(({ availability, speakable }) => availability === "in_stock" && speakable);
  return other === undefined ? [] : [fill(texts.more.inStock, { other })];
}

/** Answers without a product to name. */
type OtherOutcome = Exclude<AnswerOutcome, "found" | "comparison" | "product" | "shop">;

/** That there is no such thing, by its name, and what comes nearest. */
function absentSentences(
  { parts, near, nearFor, isMaker }: AnswerBrief,
  { texts: { other }, fill, quoted, all }: Wording,
): string[] {
  const said = parts.flatMap((part, index) =>
    part.total === 0 && part.wording !== undefined ? [quoted(`{w${index + 1}.said}`)] : [],
  );
  const place =
    nearFor === undefined ? [] : [fill(other.nearFor, { kinds: all(near), said: quoted("{nearFor}") })];
  const mentioned =
    nearFor === undefined && near.length > 0 ? [fill(other.mentioned, { kinds: all(near) })] : [];
  return [
    said.length === 0
      ? other.absentThing
      : fill(isMaker ? other.absentBrand : other.absent, { said: all(said) }),
    ...mentioned,
    ...(place.length > 0 ? place : [other.suggestions]),
  ];
}

function otherSentences(brief: AnswerBrief, outcome: OtherOutcome, wording: Wording): string[] {
  return sentences[outcome](brief, wording);
}

/** The answer to a question about one product: from its data, or a quote from its texts, or that they do not say. */
function productSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill } = wording;
  const best = brief.products.find(({ speakable }) => speakable);
  if (best === undefined) return [texts.product.list];
  const slots = {
    best,
    state: texts.product[best.availability],
    quote: quoteOf(best, wording),
    said: wording.quoted("{asked}"),
  };
  const { product } = texts;
  if (brief.askedField !== undefined) return fieldSentences(brief.askedField, best, wording);
  if (best.quote !== undefined && best.quoteIsReason)
    return [fill(product.says, slots), fill(product.rest, slots)];
  return [
    fill(brief.topic === undefined ? product.unsaidAtAll : product.unsaid, slots),
    fill(best.quote === undefined ? product.ask : product.askAfterQuote, slots),
  ];
}

/** The field that was asked for, and then what else a shopper wants to know. */
function fieldSentences(
  field: NonNullable<AnswerBrief["askedField"]>,
  best: AnswerProduct,
  { texts: { product }, fill }: Wording,
): string[] {
  const slots = { best, state: product[best.availability] };
  if (field === "rating" || field === "brand")
    return [fill(product[field], slots), fill(product.rest, slots)];
  return [fill(product[field], slots), ...(best.rating === undefined ? [] : [fill(product.rated, slots)])];
}

/** What there is of a brand or in a store, the best of it and the cheapest. */
function rangeSentences(
  brief: AnswerBrief,
  range: NonNullable<AnswerBrief["range"]>,
  best: AnswerProduct,
  wording: Wording,
): string[] {
  const { texts, fill, all } = wording;
  const text = range.of === "brand" ? texts.range.ofBrand : texts.range.ofStore;
  const [pick = ""] = pickSentences(brief, best, wording);
  const [cheapest] = brief.products.toSorted((one, other) => one.priceMinor - other.priceMinor);
  return [
    fill(text, { best, kinds: all(range.hasMore ? [...range.kinds, texts.range.andMore] : range.kinds) }),
    pick,
    ...(cheapest === undefined || cheapest === best || !cheapest.speakable
      ? []
      : [fill(texts.range.cheapest, { other: cheapest })]),
  ];
}

/** The best product for each of several things, and whether all of them together fit the budget. */
function severalSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { parts, together = [], togetherWithinLimit } = brief;
  const { several } = wording.texts;
  const chosen = parts.map((part) => chosenFor(part, brief));
  const each = parts.map((part, index) => sentenceFor(part, index, chosen[index], wording));
  const areTogether = chosen.filter((product) => together.includes(product?.reference ?? "")).length > 1;
  return [...each, ...(areTogether ? [several.together] : togetherWithinLimit ? [several.within] : [])];
}

function chosenFor(
  { references }: AnswerPart,
  { products, together = [] }: AnswerBrief,
): AnswerProduct | undefined {
  const inOrder = [...references.filter((reference) => together.includes(reference)), ...references];
  return inOrder.flatMap(
    (reference) => products.find((one) => one.reference === reference && one.speakable) ?? [],
  )[0];
}

function sentenceFor(
  part: AnswerPart,
  index: number,
  best: AnswerProduct | undefined,
  wording: Wording,
): string {
  const { texts, fill, quoted, thing } = wording;
  const { several } = texts;
  if (best === undefined) {
    const said = part.wording === undefined ? thing(part, index) : quoted(`{w${index + 1}.said}`);
    return fill(several.nothing, { said });
  }
  const text =
    index === 0
      ? best.quoteIsReason
        ? several.firstReason
        : several.first
      : index === 2
        ? several.third
        : isReadable(best)
          ? several.second
          : several.plain;
  return fill(text, {
    best,
    said: thing(part, index),
    quote: quoteOf(best, wording),
    rated: ifRated(best, texts.rated),
    ratedEnd: ifRated(best, several.ratedEnd),
  });
}

type Shop = NonNullable<AnswerBrief["shop"]>;

/** How many products there are, if they meet all conditions; before what is said about the best of them. */
function countNote({ shop, total, relaxed, unmet }: AnswerBrief, { texts }: Wording): string[] {
  if (shop === undefined || total < 2 || relaxed.length + unmet.length > 0) return [];
  return shop.asks === "presence" || shop.asks === "count" ? [texts.shop[shop.asks]] : [];
}

/** Brands, kinds, values or prices of all products that were found; undefined if the answer is about the best one. */
function shopSentence(brief: AnswerBrief, wording: Wording): string | undefined {
  const { shop, products } = brief;
  const { texts, fill, quoted } = wording;
  if (shop === undefined || shop.asks === "count" || shop.asks === "presence") return undefined;
  if (shop.asks === "prices") {
    const [best, other] = [products[0], products.at(-1)];
    if (best === undefined || other === undefined || best === other) return undefined;
    return fill(texts.shop.prices, { best, other });
  }
  if (shop.names.length === 0) return texts.shop.unsaid;
  const names = listed(shop, wording, (name) => {
    if (shop.asks === "brands") return `{${name}.brand}`;
    return /\d/u.test(name) ? quoted(name) : name;
  });
  const count = formatCount(shop.names.length + shop.more);
  return fill(texts.shop[shop.isCount ? (`${shop.asks}Counted` as const) : shop.asks], { names, count });
}

function listed({ names, more }: Shop, { texts, fill, all }: Wording, say: (name: string) => string): string {
  const others = more > 0 ? [fill(texts.shop.more, { count: formatCount(more) })] : [];
  return all([...names.map(say), ...others]);
}
