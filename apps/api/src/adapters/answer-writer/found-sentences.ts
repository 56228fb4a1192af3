import type { AnswerBrief, AnswerProduct, Relaxable } from "../../ports/answer-writer.ts";
import { type Choose, inWords } from "./wording.ts";

/** The answer to a request that found products: what fits best and why, then what else is worth knowing. */
export function foundSentences(brief: AnswerBrief, choose: Choose): string[] {
  const speakable = brief.products.filter(({ speakable: is }) => is);
  const opening = [
    ...correctionSentence(brief, choose),
    ...givenUpSentence(brief, choose),
    ...newestSentence(brief, choose),
    openingOf(brief, choose),
  ];
  if (speakable.length === 0) return [...opening, "See the list for their names and prices."];
  const body =
    brief.parts.length > 1 ? severalThings(brief, speakable, choose) : oneThing(brief, speakable, choose);
  return [...opening, ...body];
}

function openingOf({ total, parts, sortedBy, givenUp }: AnswerBrief, choose: Choose): string {
  if (parts.length > 1) {
    return choose(
      "You asked for several things, so here is some of each.",
      "Here is a choice for each of the things that you asked for.",
    );
  }
  if (total === 1) return choose("I found one product for you.", "There is exactly one such product.");
  const first = {
    relevance: "best match first",
    "lowest price": "lowest price first",
    "highest price": "highest price first",
    rating: "best rated first",
    discount: "biggest reduction first",
  }[sortedBy];
  if (givenUp.length > 0)
    return choose(`That leaves {total} products, ${first}.`, `So here are {total} products, ${first}.`);
  return choose(`I found {total} products, ${first}.`, `{total} products fit, ${first}.`);
}

const constraintNames: Record<Relaxable, string> = {
  availability: "the availability",
  discount: "the reduction",
  rating: "the rating",
  colour: "the colour",
  store: "the store",
  category: "the category",
  brand: "the brand",
  words: "some of the words",
};

/** Says what was relaxed, without repeating what the request said: its names and numbers are none of ours. */
function givenUpSentence({ givenUp, hasPriceBound }: AnswerBrief, choose: Choose): string[] {
  if (givenUp.length === 0) return [];
  const what = inWords(givenUp.map((name) => constraintNames[name]));
  const bound = hasPriceBound ? ", but kept to your price limit" : "";
  return [
    choose(
      `Nothing matched everything, so I set aside ${what} that you asked for${bound}.`,
      `To find anything I had to give up ${what} from your request${bound}.`,
    ),
  ];
}

/** What was read instead is in the description: the request's words are none of ours. */
function correctionSentence({ corrected }: AnswerBrief, choose: Choose): string[] {
  if (!corrected) return [];
  return [
    choose(
      "I took a word of your request for a spelling mistake; the description says how I read it.",
      "One word looked like a spelling mistake, so I searched for a similar one.",
    ),
  ];
}

function newestSentence({ asksForNewest }: AnswerBrief, choose: Choose): string[] {
  if (!asksForNewest) return [];
  return [
    choose(
      "I cannot tell which of them is newest: the catalog does not say when a product came out.",
      "When a product came out is not in the catalog, so I cannot sort by that.",
    ),
  ];
}

function severalThings(brief: AnswerBrief, speakable: readonly AnswerProduct[], choose: Choose): string[] {
  const byReference = new Map(speakable.map((product) => [product.reference, product]));
  const ordinals = ["first", "second", "third", "fourth"];
  const each = brief.parts.map(({ references }, index) => {
    const product = references.flatMap((reference) => byReference.get(reference) ?? [])[0];
    if (product === undefined) return `For the ${ordinals[index]} of them I found nothing.`;
    return `For the ${ordinals[index]} of them, {${product.reference}.name} fits best${reasonsFor(product)}.`;
  });
  const names = (brief.together ?? []).filter((reference) => byReference.has(reference));
  if (names.length < 2) return each;
  const list = inWords(names.map((reference) => `{${reference}.name}`));
  return [
    ...each,
    choose(`Together, ${list} stay within your budget.`, `You can have ${list} together within your budget.`),
  ];
}

function oneThing(brief: AnswerBrief, speakable: readonly AnswerProduct[], choose: Choose): string[] {
  const [best] = speakable;
  if (best === undefined) return [];
  const said = [best.reference];
  const sentences = [bestSentence(brief, best, choose)];
  if (speakable.length < 2) return [...sentences, ...availabilitySentence(best)];
  for (const sentence of [cheapestSentence, bestRatedSentence, bargainSentence]) {
    const next = sentence(speakable, best, said, choose);
    if (next !== undefined) sentences.push(next);
  }
  return [...sentences, ...availabilitySentence(best), ...closing(speakable, choose)];
}

function bestSentence({ sortedBy, total }: AnswerBrief, best: AnswerProduct, choose: Choose): string {
  const name = `{${best.reference}.name}${byBrand(best)}`;
  if (total === 1) return `It is ${name}${reasonsFor(best)}.`;
  if (sortedBy === "relevance") {
    return choose(`${name} fits best${reasonsFor(best)}.`, `My first choice is ${name}${reasonsFor(best)}.`);
  }
  return choose(`${name} comes first${reasonsFor(best)}.`, `At the top is ${name}${reasonsFor(best)}.`);
}

function byBrand({ brand, name, reference }: AnswerProduct): string {
  return brand === undefined || name.toLowerCase().includes(brand.toLowerCase())
    ? ""
    : ` by {${reference}.brand}`;
}

function reasonsFor({ reference, rating, discountPercent, availability }: AnswerProduct): string {
  const reasons = [
    `costs {${reference}.price} at {${reference}.store}`,
    ...(rating === undefined ? [] : [`is rated {${reference}.rating} stars`]),
    ...(discountPercent === undefined ? [] : [`is reduced by {${reference}.discount}`]),
    ...(availability === "in_stock" ? ["is in stock"] : []),
  ];
  return `: it ${inWords(reasons)}`;
}

type Extra = (
  products: readonly AnswerProduct[],
  best: AnswerProduct,
  /** References of the products spoken of so far, the last one last. */
  said: string[],
  choose: Choose,
) => string | undefined;

const cheapestSentence: Extra = (products, best, said, choose) => {
  const cheapest = products.reduce((least, product) =>
    product.priceMinor < least.priceMinor ? product : least,
  );
  const { reference, rating } = cheapest;
  if (cheapest.priceMinor === best.priceMinor) return undefined;
  said.push(reference);
  const tradeOff = rating !== undefined && best.rating !== undefined && rating < best.rating;
  if (tradeOff) {
    return choose(
      `To spend less, take {${reference}.name} at {${reference}.price}, the cheapest here, though it is rated lower at {${reference}.rating} stars.`,
      `{${reference}.name} is the cheapest here at {${reference}.price}; the price of that is a lower rating of {${reference}.rating} stars.`,
    );
  }
  return choose(
    `The cheapest here is {${reference}.name} at {${reference}.price}.`,
    `If the price matters most, {${reference}.name} is the cheapest here at {${reference}.price}.`,
  );
};

const bestRatedSentence: Extra = (products, best, said, choose) => {
  const top = products.reduce((most, product) =>
    (product.rating ?? 0) > (most.rating ?? 0) ? product : most,
  );
  const { reference, rating } = top;
  if (rating === undefined || rating <= (best.rating ?? 0) || said.includes(reference)) return undefined;
  said.push(reference);
  const price =
    top.priceMinor > best.priceMinor ? ` and costs {${reference}.price}` : ` at {${reference}.price}`;
  return choose(
    `{${reference}.name} is the best rated here with {${reference}.rating} stars${price}.`,
    `Buyers like {${reference}.name} most: it has {${reference}.rating} stars${price}.`,
  );
};

const bargainSentence: Extra = (products, _best, said, choose) => {
  const bargain = products
    .filter(({ belowAveragePercent }) => belowAveragePercent !== undefined)
    .toSorted((a, b) => (b.belowAveragePercent ?? 0) - (a.belowAveragePercent ?? 0))[0];
  if (bargain === undefined) return undefined;
  const { reference } = bargain;
  if (said.at(-1) === reference)
    return `It is also a bargain by its price history: {${reference}.below} below its average.`;
  return choose(
    `A real bargain by its price history is {${reference}.name}, now {${reference}.below} below its average.`,
    `{${reference}.name} is a good deal just now: {${reference}.below} below its average price.`,
  );
};

function availabilitySentence({ reference, availability }: AnswerProduct): string[] {
  const state = {
    in_stock: undefined,
    out_of_stock: "is out of stock at the moment",
    preorder: "can only be ordered ahead for now",
    backorder: "has to be ordered and takes longer to arrive",
  }[availability];
  return state === undefined ? [] : [`Note that {${reference}.name} ${state}.`];
}

function closing(products: readonly AnswerProduct[], choose: Choose): string[] {
  const prices = products.map(({ priceMinor }) => priceMinor);
  const wide = Math.max(...prices) > 3 * Math.min(...prices);
  if (!wide) return [];
  return [
    choose(
      "Prices differ a lot here, so a price limit would narrow the choice.",
      "The prices are far apart; name a price limit to narrow the choice.",
    ),
  ];
}
