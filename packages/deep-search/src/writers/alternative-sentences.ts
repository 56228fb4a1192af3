import { beats, starsForPrice } from "@product-search/core/domain/service-score.ts";
import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { asksForReduced, sameFeatures } from "./comparison-sentences.ts";
import { ifRated, isReadable, quoteOf, type Wording } from "./wording.ts";

/** A smaller difference is no reason to choose another product. */
const clearlyLess = 0.9;
const clearlyBetter = 0.2;
const goodRating = 4;

/** Products of the same kind that are cheaper, better rated or more reduced than the best one, each named once. */
export function alternativeSentences(brief: AnswerBrief, best: AnswerProduct, wording: Wording): string[] {
  const others = sameKind(brief, best);
  const inStock = others.filter(({ availability }) => availability === "in_stock");
  const cheaper = cheaperThan(brief, best, inStock) ?? superior(brief, best, others);
  const better = betterThan(brief, best, inStock);
  const reduced = asksForReduced(brief) ? moreReduced(best, inStock) : undefined;
  const { texts, fill } = wording;
  return [
    ...(reduced === undefined ? [] : [fill(texts.more.reduced, { other: reduced })]),
    ...(cheaper === undefined || cheaper === reduced ? [] : [cheaperSentence(best, cheaper, wording)]),
    ...(better === undefined || better === cheaper || better === reduced
      ? []
      : [fill(texts.more.better, { other: better })]),
  ];
}

/** If there is nothing else to say: which product is the second choice, or that no other is a better choice. */
export function secondSentences(brief: AnswerBrief, best: AnswerProduct, wording: Wording): string[] {
  const { texts, fill } = wording;
  if (brief.total === 1) return best.availability === "in_stock" ? [fill(texts.more.in_stock, { best })] : [];
  const others = sameKind(brief, best).filter(({ availability }) => availability === "in_stock");
  const [other] = inOrderOfChoice(others, brief);
  if (other === undefined) return isUnbeaten(brief, best) ? [texts.more.unbeaten] : [];
  const isNews = isReadable(other) && !sameFeatures(other.quote, best.quote);
  const says = isNews ? texts.more.nextSays : "";
  const ratedLast = ifRated(other, texts.more.nextRated);
  const quote = other.quote === undefined ? "" : quoteOf(other, wording);
  return [fill(fill(texts.more.next, { says, ratedLast }), { other, quote })];
}

/** The cheapest was asked for and named: a second choice is the next one that buyers rate well. */
function inOrderOfChoice(
  others: readonly AnswerProduct[],
  { sortedBy }: AnswerBrief,
): readonly AnswerProduct[] {
  if (sortedBy === "relevance") return others.toSorted(byValue);
  if (sortedBy !== "lowest price") return others;
  return [...others.filter(({ rating = 0 }) => rating >= goodRating), ...others];
}

function byRating(one: AnswerProduct, other: AnswerProduct): number {
  return (other.rating ?? 0) - (one.rating ?? 0) || one.priceMinor - other.priceMinor;
}

function byValue(one: AnswerProduct, other: AnswerProduct): number {
  return starsForPrice(other) - starsForPrice(one);
}

function isUnbeaten({ products, sortedBy }: AnswerBrief, best: AnswerProduct): boolean {
  return (
    sortedBy === "relevance" &&
    best.rating !== undefined &&
    products.length > 1 &&
    !products.some((other) => beats(other, best))
  );
}

/**
 * A running shirt is no cheaper alternative to running shoes. If the best product has the requested noun in its name, the
 * others must have it, too, unless they are the better choice.
 */
function sameKind({ products }: AnswerBrief, best: AnswerProduct): AnswerProduct[] {
  return products.filter(
    (product) =>
      product !== best &&
      product.speakable &&
      product.category === best.category &&
      (product.isNamed || !best.isNamed || beats(product, best)),
  );
}

/** Cheaper and at least as well rated, but not in stock: the list shows it, so the answer says why it is not the best. */
function superior(
  brief: AnswerBrief,
  best: AnswerProduct,
  others: readonly AnswerProduct[],
): AnswerProduct | undefined {
  const { rating: least = 0 } = best;
  return cheaperThan(
    brief,
    best,
    others.filter(({ availability, rating = 0 }) => availability !== "in_stock" && rating >= least),
  );
}

function cheaperThan(
  { sortedBy }: AnswerBrief,
  best: AnswerProduct,
  others: readonly AnswerProduct[],
): AnswerProduct | undefined {
  if (sortedBy === "highest price") return undefined;
  const [cheaper] = others
    .filter(({ priceMinor }) => priceMinor < clearlyLess * best.priceMinor)
    .toSorted(byValue);
  return cheaper;
}

function betterThan(
  { sortedBy }: AnswerBrief,
  { rating }: AnswerProduct,
  others: readonly AnswerProduct[],
): AnswerProduct | undefined {
  if (sortedBy === "rating" || rating === undefined) return undefined;
  const [top] = others.toSorted(byRating);
  return top?.rating !== undefined && top.rating >= rating + clearlyBetter ? top : undefined;
}

function moreReduced(
  { discountPercent = 0 }: AnswerProduct,
  others: readonly AnswerProduct[],
): AnswerProduct | undefined {
  const [most] = others.toSorted((one, other) => (other.discountPercent ?? 0) - (one.discountPercent ?? 0));
  return (most?.discountPercent ?? 0) > discountPercent ? most : undefined;
}

/** What is traded off for the lower price. */
function cheaperSentence(best: AnswerProduct, other: AnswerProduct, { texts, fill }: Wording): string {
  const { cheaper, lower, equal, unrated } = texts.more;
  const isLower = (other.rating ?? 0) <= (best.rating ?? 0) - clearlyBetter;
  const rated = other.rating === undefined ? unrated : isLower ? lower : equal;
  const { availability } = other;
  const tradeOff =
    availability === "in_stock" ? rated : fill(texts.more.but, { state: texts.product[availability] });
  return fill(fill(cheaper, { tradeOff }), { other });
}
