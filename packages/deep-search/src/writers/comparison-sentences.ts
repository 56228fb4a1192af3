import { beats } from "@product-search/core/domain/service-score.ts";
import {
  type AnswerBrief,
  type AnswerPart,
  type AnswerProduct,
  maxSentences,
  type UnmetReason,
} from "@product-search/core/ports/answer-writer.ts";
import { ifRated, inItsLanguage, isReadable, quoteOf, type Wording } from "./wording.ts";

/** How two products or two kinds of products differ, in the order in which the user named them. */
export function comparisonSentences(brief: AnswerBrief, wording: Wording): string[] {
  const notes = noteSentences(brief, wording);
  // Two armchairs, whatever their colours: only the names of products tell them apart.
  const areNamed =
    new Set(brief.parts.map(({ wording: words, kind }) => words ?? kind)).size === brief.parts.length;
  const areKinds = areNamed && brief.parts.some(({ total }) => total > 1);
  const sentences = areKinds ? kindSentences(brief, wording) : productSentences(brief, wording);
  return [...notes, ...sentences].slice(0, maxSentences);
}

function productsOf({ references }: AnswerPart, { products }: AnswerBrief): AnswerProduct[] {
  return references.flatMap((reference) =>
    products.filter((one) => one.reference === reference && one.speakable),
  );
}

/** What the descriptions of each kind have that those of the other do not, what each costs, and which is the cheaper. */
function kindSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill, all } = wording;
  const { comparison } = texts;
  const parts = brief.parts.slice(0, 2);
  const thingOf = (part: AnswerPart): string => wording.thing(part, brief.parts.indexOf(part));
  const features = parts
    .filter((part) => part.features.length > 0)
    .map((part) => fill(comparison.kind, { quote: featuresOf(part, brief, wording), said: thingOf(part) }));
  const difference =
    features.length === 0
      ? fill(comparison.sameKinds, { said: all(parts.map(thingOf)) })
      : fill(comparison.kinds, { features: features.join(", ") });
  const priced = parts.flatMap((part) => {
    const [best] = productsOf(part, brief).toSorted((one, other) => one.priceMinor - other.priceMinor);
    return best === undefined ? [] : [{ best, said: thingOf(part) }];
  });
  const prices = priced.map(({ best, said }) =>
    fill(comparison.priceOfKind, { best, said, ratedLast: ifRated(best, texts.ratedLast) }),
  );
  const [cheapest, ...others] = priced.toSorted((one, other) => one.best.priceMinor - other.best.priceMinor);
  const isCheaper = others.some(({ best }) => best.priceMinor > (cheapest?.best.priceMinor ?? 0));
  return [
    difference,
    ...(prices.length === 0 ? [] : [fill(comparison.prices, { features: prices.join(`, ${texts.and} `) })]),
    ...(cheapest !== undefined && isCheaper ? [fill(comparison.ifPrice, { said: cheapest.said })] : []),
  ];
}

function featuresOf(part: AnswerPart, brief: AnswerBrief, wording: Wording): string {
  const { quoted, all } = wording;
  const number = brief.parts.indexOf(part) + 1;
  const features = all(part.features.map((_, index) => quoted(`{w${number}.feature${index + 1}}`)));
  return inItsLanguage(features, productsOf(part, brief)[0] ?? {}, wording);
}

function productSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill } = wording;
  const compared = brief.parts.flatMap((part) => productsOf(part, brief)[0] ?? []);
  const [one, other] = compared;
  const sayTheSame = sameFeatures(one?.quote, other?.quote);
  const described = compared.slice(0, 2).map((best) => {
    const isPlain = best.quote === undefined || sayTheSame;
    const text = isPlain ? texts.comparison.describePlain : texts.comparison.describe;
    const ratedEnd = ifRated(best, texts.several.ratedEnd);
    return fill(text, { best, quote: quoteOf(best, wording), ratedEnd });
  });
  if (one === undefined || other === undefined) return described;
  const same = sayTheSame ? [fill(texts.comparison.sameQuote, { quote: quoteOf(one, wording) })] : [];
  return [...described, ...verdicts(one, other, wording), ...same];
}

function verdicts(one: AnswerProduct, other: AnswerProduct, { texts, fill }: Wording): string[] {
  const { comparison } = texts;
  const cheaper = one.priceMinor < other.priceMinor ? one : other;
  const better = (one.rating ?? 0) > (other.rating ?? 0) ? one : other;
  const isCheaper = one.priceMinor !== other.priceMinor;
  const isBetter = one.rating !== undefined && other.rating !== undefined && one.rating !== other.rating;
  if (isCheaper && isBetter && cheaper === better) return [fill(comparison.both, { best: cheaper })];
  return [
    isCheaper ? fill(comparison.cheaper, { best: cheaper }) : comparison.same,
    ...(isBetter ? [fill(comparison.better, { best: better })] : []),
  ];
}

/** These are said of the catalog's texts and can share one sentence. */
const mentions: readonly UnmetReason[] = ["size", "audience", "purpose", "word"];
const named: readonly UnmetReason[] = ["name", "colour", "brand", "store", ...mentions, "exclusion"];
const maxGroups = 2;

/** What the reader must know first: how the request was read, and which of its conditions are not met. */
export function noteSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { notes } = wording.texts;
  const { corrected, otherCurrency, asksForNewest, asksForPopular, keptPriceLimit, nothingCheaper } = brief;
  return [
    ...(corrected ? [notes.corrected] : []),
    ...(otherCurrency ? [notes.currency] : []),
    ...(nothingCheaper ? [notes.nothingCheaper] : []),
    ...(keptPriceLimit ? [notes.keptLimit] : []),
    ...unmetNotes(brief, wording),
    ...relaxedNotes(brief, wording),
    ...(asksForNewest ? [notes.newest] : []),
    ...(asksForPopular ? [notes.popular] : []),
  ];
}

/** Each unmet condition is named, in one sentence for each reason. */
function unmetNotes({ unmet }: AnswerBrief, { texts, fill, quoted, any }: Wording): string[] {
  const present = named.filter((reason) => unmet.some((one) => one.reason === reason));
  const isLong = present.length > maxGroups;
  const reasonOf = (reason: UnmetReason): UnmetReason =>
    isLong && mentions.includes(reason) ? "word" : reason;
  return [...new Set(present.map(reasonOf))].map((reason) => {
    const said = unmet.flatMap((one, index) =>
      reasonOf(one.reason) === reason ? [quoted(`{unmet.${index + 1}}`)] : [],
    );
    return fill(texts.notes[reason === "wish" ? "word" : reason], { said: any(said) });
  });
}

/** Constraints that were relaxed and have no words to repeat, or none that may be repeated. */
function relaxedNotes({ relaxed, unmet }: AnswerBrief, { texts: { notes } }: Wording): string[] {
  const isNamed = unmet.length > 0;
  return relaxed.flatMap((name) => {
    switch (name) {
      case "rating":
      case "discount":
      case "availability":
      case "category":
        return [notes[name]];
      default:
        return isNamed ? [] : [notes.other];
    }
  });
}

/** What of the request was not read or not searched for. */
export function leftOutSentences(
  { leftOut }: AnswerBrief,
  { texts: { notes }, fill, quoted, all }: Wording,
): string[] {
  if (leftOut === undefined) return [];
  const { from, things } = leftOut;
  const said = all(things.map((_, index) => quoted(`{leftOut.${index + 1}}`)));
  const sentences = [
    ...(from === undefined ? [] : [fill(notes.leftOutFrom, { said: quoted("{leftOutFrom}") })]),
    ...(things.length === 0 ? [] : [fill(notes.leftOut, { said })]),
  ];
  return sentences.length > 0 ? sentences : [notes.leftOutSome];
}

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

/** Whether two descriptions list the same features, in any order: "A, b" and "B, a". */
export function sameFeatures(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && featuresIn(one) === featuresIn(other);
}

function featuresIn(quote: string): string {
  return quote
    .toLowerCase()
    .split(/, | and /u)
    .map((feature) => feature.replace(/[.;!]$/u, "").trim())
    .toSorted()
    .join();
}
