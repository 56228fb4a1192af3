import type { AnswerBrief, AnswerProduct } from "../../ports/answer-writer.ts";
import { reasonsFor } from "./found-sentences.ts";
import { noteSentences } from "./note-sentences.ts";
import type { Choose } from "./wording.ts";

/** The answer to a question about one product: from its data, or a quote from its texts, or that they do not say. */
export function productSentences(brief: AnswerBrief, choose: Choose): string[] {
  const product = brief.products.find(({ speakable }) => speakable);
  if (product === undefined) return ["The list has its data."];
  const { reference, quote } = product;
  const name = `{${reference}.name}`;
  if (brief.askedField !== undefined) return [fieldSentence(brief.askedField, product)];
  const rest = `{${reference}.short} costs {${reference}.price} at {${reference}.store}${stateOf(product)}.`;
  if (quote !== undefined)
    return [
      choose(
        `The description of ${name} says: “{${reference}.quote}”.`,
        `Of ${name} the shop says: “{${reference}.quote}”.`,
      ),
      rest,
    ];
  return [
    choose(
      `The product data of ${name} does not say.`,
      `That is not in the product data of ${name}: it does not say.`,
    ),
    `{${reference}.short} is sold by {${reference}.store}, where you can ask.`,
  ];
}

function fieldSentence(field: NonNullable<AnswerBrief["askedField"]>, product: AnswerProduct): string {
  const { reference, rating } = product;
  const name = `{${reference}.name}`;
  const stars = rating === undefined ? "" : ` and is rated {${reference}.rating} stars`;
  switch (field) {
    case "price":
      return `${name} costs {${reference}.price} at {${reference}.store}${stateOf(product)}.`;
    case "rating":
      return `${name} is rated {${reference}.rating} stars by its buyers.`;
    case "brand":
      return `${name} is made by {${reference}.brand}.`;
    case "store":
      return `${name} is sold by {${reference}.store} for {${reference}.price}.`;
    case "availability":
      return `${name} ${states[product.availability]}; it costs {${reference}.price}${stars}.`;
  }
}

const states = {
  in_stock: "is in stock",
  out_of_stock: "is out of stock at the moment",
  preorder: "can only be ordered ahead for now",
  backorder: "has to be ordered and takes longer to arrive",
};

function stateOf({ availability }: AnswerProduct): string {
  return ` and ${states[availability]}`;
}

/** How two products differ, in the order in which the user named them. */
export function comparisonSentences(brief: AnswerBrief, choose: Choose): string[] {
  const compared = brief.parts.flatMap(({ references }) => {
    const product = references.flatMap((reference) =>
      brief.products.filter((one) => one.reference === reference && one.speakable),
    )[0];
    return product === undefined ? [] : [product];
  });
  const described = compared
    .slice(0, 2)
    .map((product) => `{${product.reference}.name} ${reasonsFor(product)}.`);
  const [one, other] = compared;
  if (one === undefined || other === undefined) return [...noteSentences(brief, choose), ...described];
  return [...noteSentences(brief, choose), ...described, ...verdicts(one, other)].slice(0, 4);
}

function verdicts(one: AnswerProduct, other: AnswerProduct): string[] {
  const cheaper = one.priceMinor < other.priceMinor ? one : other;
  const better = (one.rating ?? 0) > (other.rating ?? 0) ? one : other;
  const isCheaper = one.priceMinor !== other.priceMinor;
  const isBetter = one.rating !== undefined && other.rating !== undefined && one.rating !== other.rating;
  if (isCheaper && isBetter && cheaper === better)
    return [`{${cheaper.reference}.short} is the cheaper and the better rated of the two.`];
  return [
    ...(isCheaper ? [`{${cheaper.reference}.short} is the cheaper of the two.`] : ["Both cost the same."]),
    ...(isBetter ? [`{${better.reference}.short} is the better rated.`] : []),
  ];
}
