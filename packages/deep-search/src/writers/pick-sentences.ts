import { beats } from "@product-search/core/domain/stars-for-price.ts";
import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import { ifRated, isReadable, quoteOf, type Wording } from "./wording.ts";

type Pick = keyof Wording["texts"]["pick"];

/** Which product to choose, with the reason that its data gives, and what may prevent buying it. */
export function pickSentences(brief: AnswerBrief, best: AnswerProduct, wording: Wording): string[] {
  const { texts, fill, quoted } = wording;
  const pick = reasonFor(brief, best);
  const quote = quoteOf(best, wording);
  const slots = {
    best,
    quote,
    offers: isReadable(best) ? fill(texts.more.offers, { quote }) : "",
    mentions: isReadable(best) ? fill(texts.more.mentions, { quote }) : "",
    kind: kindOf(best) ?? "",
    said: quoted(brief.nameSays === undefined ? "{served}" : "{nameSays}"),
    feature: quoted(brief.servedBy === undefined ? "{nameSaysBy}" : "{servedBy}"),
    rated: ifRated(best, texts.rated),
    ratedLast: ifRated(best, texts.ratedLast),
  };
  const { more } = texts;
  const isOnSale = pick !== "discount" && asksForReduced(brief) && best.discountPercent !== undefined;
  return [
    fill(texts.pick[pick], slots),
    ...(best.availability === "in_stock" ? [] : [fill(more[best.availability], slots)]),
    ...(isOnSale ? [fill(more.off, slots)] : []),
    ...wishNote(brief, wording),
  ];
}

/** What the data of the product says for it: a quote for what was asked, or how it stands in the list. */
function reasonFor(brief: AnswerBrief, best: AnswerProduct): Pick {
  const { sortedBy, total, served, servedBy, nameSays, products } = brief;
  const { quote, quoteIsReason, rating, priceMinor } = best;
  if (total === 1) return "only";
  const others = products.filter((product) => product !== best);
  if (sortedBy === "rating") return others.some((other) => other.rating === rating) ? "tied" : "rating";
  if (sortedBy !== "relevance") return sortedBy;
  if (quote !== undefined && quoteIsReason) return served === undefined ? "evidence" : "served";
  if (servedBy !== undefined) return "servedByName";
  if (nameSays !== undefined) return "nameSays";
  if (rating === undefined) return "unrated";
  const isCheapest = others.every((other) => other.priceMinor >= priceMinor);
  const isBestRated = others.every((other) => (other.rating ?? 0) <= rating);
  if (isCheapest && isBestRated) return "both";
  if (isBestRated) return "bestRated";
  if (isCheapest) return "cheapest";
  const isBalanced = (list: readonly AnswerProduct[]): boolean => !list.some((other) => beats(other, best));
  if (isBalanced(others)) return "value";
  const ofKind = others.filter(({ category }) => category === best.category);
  return kindOf(best) !== undefined && hasBoth(ofKind, best) && isBalanced(ofKind) ? "valueOfKind" : "start";
}

/** "Home > Lamps" → "lamps", if the category is plain words. */
function kindOf({ category = "" }: AnswerProduct): string | undefined {
  const kind = (category.split(">").at(-1) ?? "").trim().toLowerCase();
  return /^[\p{L}\p{N}][\p{L}\p{N} &'’-]{0,39}$/u.test(kind) ? kind : undefined;
}

/** Whether there are cheaper ones, and better rated ones. */
function hasBoth(others: readonly AnswerProduct[], { priceMinor, rating = 0 }: AnswerProduct): boolean {
  return (
    others.some((other) => other.priceMinor < priceMinor) &&
    others.some((other) => (other.rating ?? 0) > rating)
  );
}

/** If all products are reduced, that was asked for. */
export function asksForReduced({ products }: AnswerBrief): boolean {
  return products.length > 1 && products.every(({ discountPercent }) => discountPercent !== undefined);
}

/** Wishes such as "small" that the data of the best product does not state. */
function wishNote({ unmet }: AnswerBrief, { texts, fill, quoted, any }: Wording): string[] {
  const said = unmet.flatMap(({ reason }, index) =>
    reason === "wish" ? [quoted(`{unmet.${index + 1}}`)] : [],
  );
  return said.length === 0 ? [] : [fill(texts.more.unstated, { said: any(said) })];
}
