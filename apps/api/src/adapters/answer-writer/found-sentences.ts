import type { AnswerBrief, AnswerProduct } from "../../ports/answer-writer.ts";
import { noteSentences } from "./note-sentences.ts";
import { type Choose, inWords } from "./wording.ts";

/** Maximum number of sentences in an answer. */
export const maxSentences = 4;

/** The answer to a request that found products: which one to choose and why, then other useful facts. */
export function foundSentences(brief: AnswerBrief, choose: Choose): string[] {
  const speakable = brief.products.filter(({ speakable: is }) => is);
  const notes = noteSentences(brief, choose);
  const [best] = speakable;
  if (best === undefined) return [...notes, "The list has their names and prices."];
  if (brief.parts.length > 1)
    return [...notes, ...severalThings(brief, speakable, choose)].slice(0, maxSentences + 1);
  const next = inStockInstead(brief, best, speakable);
  const others = speakable.filter((product) => product !== best && product !== next);
  const sentences = [
    ...notes,
    pickSentence(brief, best, choose),
    ...(next === undefined ? [] : [nextSentence(next)]),
    ...alternatives(brief, best, others, choose),
  ];
  return [...sentences, ...closing(brief, speakable, choose)].slice(0, maxSentences);
}

/** Which product to choose, and the reasons. */
function pickSentence(
  { sortedBy, total, relaxed }: AnswerBrief,
  best: AnswerProduct,
  choose: Choose,
): string {
  const name = `{${best.reference}.name}`;
  const reasons = reasonsFor(best);
  if (total === 1) return `One product fits, ${name}: it ${reasons}.`;
  switch (sortedBy) {
    case "lowest price":
      return `Of {total} products ${name} is the cheapest: it ${reasons}.`;
    case "highest price":
      return `Of {total} products ${name} is the most expensive: it ${reasons}.`;
    case "rating":
      return `Of {total} products ${name} is the best rated: it ${reasons}.`;
    case "discount":
      return `Of {total} products ${name} has the biggest reduction: it ${reasons}.`;
    case "relevance":
      return choose(
        `Of the {total} products ${relaxed.length > 0 ? "left" : "that fit"} I would take ${name}: it ${reasons}.`,
        `Among {total} products my pick is ${name}: it ${reasons}.`,
      );
  }
}

/** Price and rating, a quote from the description, and anything that may prevent buying it. */
export function reasonsFor({
  reference,
  rating,
  discountPercent,
  availability,
  quote,
}: AnswerProduct): string {
  const state = {
    in_stock: [],
    out_of_stock: ["is out of stock at the moment"],
    preorder: ["can only be ordered ahead for now"],
    backorder: ["takes longer to arrive"],
  }[availability];
  const reduced = discountPercent === undefined ? "" : `, reduced by {${reference}.discount},`;
  return `${inWords([
    `costs {${reference}.price}${reduced} at {${reference}.store}`,
    ...(rating === undefined ? [] : [`is rated {${reference}.rating} stars`]),
    ...state,
  ])}${quote === undefined ? "" : `; its description says “{${reference}.quote}”`}`;
}

/** If the user asked for an order, an unavailable product may come first. Then the first available one is named as well. */
function inStockInstead(
  { sortedBy }: AnswerBrief,
  best: AnswerProduct,
  products: readonly AnswerProduct[],
): AnswerProduct | undefined {
  if (sortedBy === "relevance" || best.availability === "in_stock") return undefined;
  return products.find(({ availability }) => availability === "in_stock");
}

function nextSentence({ reference }: AnswerProduct): string {
  return `The next one that is in stock is {${reference}.name} at {${reference}.price}.`;
}

/** Products that are cheaper, better rated or a bargain, each named once. */
function alternatives(
  { sortedBy }: AnswerBrief,
  best: AnswerProduct,
  products: readonly AnswerProduct[],
  choose: Choose,
): string[] {
  const others = products.filter(({ availability }) => availability !== "out_of_stock");
  const cheapest = others.toSorted((a, b) => a.priceMinor - b.priceMinor)[0];
  const topRated = others.toSorted((a, b) => (b.rating ?? 0) - (a.rating ?? 0))[0];
  const isCheaper = cheapest !== undefined && cheapest.priceMinor < clearlyLess * best.priceMinor;
  const isBetter = topRated?.rating !== undefined && topRated.rating >= (best.rating ?? 0) + clearlyBetter;
  if (isCheaper && isBetter && cheapest === topRated) return [bothSentence(cheapest, choose)];
  const sentences = [
    ...(isCheaper && sortedBy !== "highest price" ? [cheaperSentence(cheapest, best, choose)] : []),
    ...(isBetter && sortedBy !== "rating" ? [betterSentence(topRated, choose)] : []),
  ];
  const said = [best, ...(isCheaper ? [cheapest] : []), ...(isBetter ? [topRated] : [])];
  const bargain = others.find(
    (product) => product.belowAveragePercent !== undefined && !said.includes(product),
  );
  return sentences.length > 1 || bargain === undefined
    ? sentences
    : [...sentences, bargainSentence(bargain, choose)];
}

/** A smaller difference is no reason to choose another product. */
const clearlyLess = 0.9;
const clearlyBetter = 0.3;

function bothSentence({ reference }: AnswerProduct, choose: Choose): string {
  const name = `{${reference}.name}`;
  return choose(
    `${name} is both cheaper and better rated: {${reference}.rating} stars for {${reference}.price}.`,
    `Better rated and cheaper is ${name}, with {${reference}.rating} stars for {${reference}.price}.`,
  );
}

function cheaperSentence({ reference, rating }: AnswerProduct, best: AnswerProduct, choose: Choose): string {
  const isLower = rating !== undefined && best.rating !== undefined && rating <= best.rating - clearlyBetter;
  const tradeOff = isLower ? `, though it is rated lower at {${reference}.rating} stars` : "";
  return choose(
    `For less there is {${reference}.name} at {${reference}.price}${tradeOff}.`,
    `{${reference}.name} is cheaper at {${reference}.price}${tradeOff}.`,
  );
}

function betterSentence({ reference }: AnswerProduct, choose: Choose): string {
  return choose(
    `Buyers rate {${reference}.name} higher, with {${reference}.rating} stars at {${reference}.price}.`,
    `{${reference}.name} is better rated: {${reference}.rating} stars for {${reference}.price}.`,
  );
}

function bargainSentence({ reference }: AnswerProduct, choose: Choose): string {
  return choose(
    `{${reference}.name} is a bargain just now: {${reference}.below} below its average price.`,
    `By its price history {${reference}.name} is a good deal, {${reference}.below} below its average.`,
  );
}

/** The best product for each thing, and whether all of them together fit the budget. */
function severalThings(brief: AnswerBrief, speakable: readonly AnswerProduct[], choose: Choose): string[] {
  const byReference = new Map(speakable.map((product) => [product.reference, product]));
  const ordinals = ["first", "second", "third", "fourth"];
  const together = brief.together ?? [];
  const each = brief.parts.map(({ references, kind }, index) => {
    const chosen = [...references.filter((reference) => together.includes(reference)), ...references];
    const product = chosen.flatMap((reference) => byReference.get(reference) ?? [])[0];
    const isOnly = brief.parts.filter((part) => part.kind === kind).length === 1;
    const thing = kind !== undefined && isOnly ? kind : `the ${ordinals[index]} thing`;
    if (product === undefined) return `I found nothing for ${thing}.`;
    return `For ${thing} I would take {${product.reference}.name}: it ${reasonsFor(product)}.`;
  });
  if (together.filter((reference) => byReference.has(reference)).length < 2) return each;
  return [
    ...each,
    choose("Together they stay within your budget.", "You can have all of them within your budget."),
  ];
}

/** Suggests how to continue, unless the request already does so. */
function closing(
  { hasPriceBound, sortedBy, total }: AnswerBrief,
  products: readonly AnswerProduct[],
  choose: Choose,
): string[] {
  const prices = products.map(({ priceMinor }) => priceMinor);
  const isWide = total > products.length && Math.max(...prices) > 3 * Math.min(...prices);
  if (!isWide || hasPriceBound || sortedBy !== "relevance") return [];
  return [
    choose(
      "Prices differ a lot here, so a price limit would narrow the choice.",
      "If you name a price limit, I can narrow the choice.",
    ),
  ];
}
