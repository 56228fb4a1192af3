import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import type { FoundReference, SentenceParts } from "./sentence-parts.ts";

/** Like a form rule, but for the claims of a sentence about products. */
export type ClaimRule = (parts: SentenceParts, brief: AnswerBrief) => string | undefined;

const factFields = new Set(["price", "rating", "discount", "below", "brand", "store", "quote"]);
const nameFields = new Set(["name", "short"]);

/** "{p1.name} at {p2.price}" gives one product the price of another: a fact must belong to the last name before it. */
const factsFollowTheirName: ClaimRule = ({ references }) => {
  let named: AnswerProduct | undefined = references.find(({ field }) => nameFields.has(field))?.product;
  for (const { field, product, reference } of references) {
    if (nameFields.has(field)) named = product;
    else if (factFields.has(field) && product !== named) {
      return `{${reference}} must follow the name of its own product in the same sentence`;
    }
  }
  return undefined;
};

/** Words next to a number that would change its meaning: a former price, a saving, a bound. */
const beside: Record<string, { before: RegExp; after: RegExp }> = {
  price: {
    before:
      /\b(?:from|was|were|once|formerly|originally|before|saves?|saving|savings of|under|below|over|above|than|beyond|without|not|never|no|off|by|discount of|instead of|around|about|almost|nearly|to|plus|minus|extra|additional|another)\s*$/u,
    after:
      /^\s*(?:off|less|more|cheaper|discount|saved|savings?|below|above|under|over|before|previously|formerly|originally|instead|per|each|extra|a (?:day|week|month|year)|stars?)\b/u,
  },
  rating: {
    before:
      /\b(?:under|below|over|above|than|not|never|no|from|about|around|almost|nearly|reduced by|was|were)\s*$/u,
    after: /^\s*(?:off|percent|reviews?|buyers|customers|people|less|more|times)\b/u,
  },
  discount: {
    before:
      /\b(?:under|over|above|than|not|never|no|rated|about|around|almost|nearly|another|extra|additional)\s*$/u,
    after: /^\s*(?:more|above|rating|of|stars?|higher|increase)\b/u,
  },
  below: {
    before: /\b(?:under|over|above|than|not|never|no|rated|about|around|almost|nearly|another|extra)\s*$/u,
    after: /^\s*(?!below\b)\S/u,
  },
  quote: { before: /(?:\b(?:not?|never|without|lacks?|lacking|nothing)|n't)\b[^.;:]*$/u, after: /^\p{L}/u },
  total: {
    before: /(?:\b(?:for|at|costs?|rated|price of|than|over|under|not|by)|[-.,])\s*$/u,
    after: /^\s*(?:stars?|off|percent|reviews?|-)/u,
  },
};

const numbersMeanWhatTheyAre: ClaimRule = ({ references }) => {
  const twisted = references.find(({ reference, field, before, after }) => {
    const rule = beside[reference.endsWith("total") ? "total" : field];
    return (
      rule !== undefined && (rule.before.test(before) || rule.after.test(after) || touches(before, after))
    );
  });
  return twisted === undefined
    ? undefined
    : `the words beside {${twisted.reference}} make something else of it`;
};

/** A reference directly next to a letter or another reference would be read as another number or word. */
function touches(before: FoundReference["before"], after: FoundReference["after"]): boolean {
  return /[\p{L}\p{N}}.,-]$/u.test(before.replace(/,\s$/u, " ")) || /^[\p{L}\p{N}{-]/u.test(after);
}

interface Claim {
  says: RegExp;
  /** True for every product that the sentence names. */
  holds: (product: AnswerProduct, brief: AnswerBrief) => boolean;
  fault: string;
}

const prices = ({ products }: AnswerBrief): number[] => products.map(({ priceMinor }) => priceMinor);
const ratings = ({ products }: AnswerBrief): number[] => products.map(({ rating }) => rating ?? 0);
const isReduced = ({ discountPercent, belowAveragePercent }: AnswerProduct): boolean =>
  (discountPercent ?? belowAveragePercent) !== undefined;

const claims: readonly Claim[] = [
  {
    says: /\b(?:cheapest|least expensive|lowest[- ]priced?|lowest (?:price|cost)|most affordable|most inexpensive|least costly|best price)\b/u,
    holds: ({ priceMinor }, brief) => priceMinor === Math.min(...prices(brief)),
    fault: "it is not the cheapest of the products",
  },
  {
    says: /\b(?:most expensive|priciest|highest[- ]priced?|highest price|costliest)\b/u,
    holds: ({ priceMinor }, brief) => priceMinor === Math.max(...prices(brief)),
    fault: "it is not the most expensive of the products",
  },
  {
    says: /\b(?:(?:best|highest|top)[- ](?:rated|reviewed|ratings?|scored?)|most popular|like .* most|favou?rite)\b/u,
    holds: ({ rating }, brief) => rating !== undefined && rating === Math.max(...ratings(brief)),
    fault: "it is not the best rated of the products",
  },
  {
    says: /\b(?:biggest|largest|highest|best) (?:discount|reduction|savings?|deal)\b|\bmost reduced\b/u,
    holds: ({ discountPercent = 0 }, { products }) =>
      discountPercent > 0 &&
      discountPercent === Math.max(...products.map((product) => product.discountPercent ?? 0)),
    fault: "its reduction is not the biggest of the products",
  },
  {
    says: /\b(?:on (?:sale|offer)|reduced|discount(?:ed)?|bargain|deal|reduction|savings?|saves?)\b/u,
    holds: isReduced,
    fault: "it is not reduced",
  },
  {
    says: /\b(?:in stock|available(?! for)|ready to ship|ships?)\b/u,
    holds: ({ availability }) => availability === "in_stock",
    fault: "it is not in stock",
  },
  {
    says: /\b(?:out of stock|sold out|unavailable|not available)\b/u,
    holds: ({ availability }) => availability === "out_of_stock",
    fault: "it is not out of stock",
  },
  {
    says: /\b(?:(?:well|highly|excellently|very well)[ -](?:rated|reviewed)|(?:good|great|excellent|high|strong|top) (?:reviews|ratings?|score))\b/u,
    holds: ({ rating }) => rating !== undefined && rating >= 4,
    fault: "its rating does not say so",
  },
];

const claimsHold: ClaimRule = ({ literal, named }, brief) => {
  const plain = literal.toLowerCase();
  for (const { says, holds, fault } of claims) {
    if (!says.test(plain)) continue;
    const wrong = named.find((product) => !holds(product, brief));
    if (wrong !== undefined) return `of {${wrong.reference}.name}: ${fault}`;
  }
  return undefined;
};

interface Comparison {
  says: RegExp;
  /** True for the product that the claim is about, compared with the other. */
  holds: (one: AnswerProduct, other: AnswerProduct) => boolean;
}

const comparisons: readonly Comparison[] = [
  {
    says: /\b(?:cheaper|less expensive|costs? less|lower[- ]priced|lower price|spend less|more affordable)\b/u,
    holds: (one, other) => one.priceMinor < other.priceMinor,
  },
  {
    says: /\b(?:more expensive|costs? more|pricier|higher price|costlier)\b/u,
    holds: (one, other) => one.priceMinor > other.priceMinor,
  },
  {
    says: /\b(?:better rated|rated (?:higher|better)|higher[- ](?:rated|rating)|better (?:rating|reviews?|score))\b/u,
    holds: (one, other) => (one.rating ?? 0) > (other.rating ?? 0),
  },
  {
    says: /\b(?:worse rated|rated (?:lower|worse)|lower[- ](?:rated|rating)|worse (?:rating|reviews?))\b/u,
    holds: (one, other) => (one.rating ?? 5) < (other.rating ?? 5),
  },
];

/**
 * The first product named is compared with the last one named. If only one is named, it is compared with the best product,
 * and the best product with any other.
 */
const comparisonsHold: ClaimRule = ({ literal, named }, { products }) => {
  const plain = literal.toLowerCase();
  const [one] = named;
  if (one === undefined) return undefined;
  const [best] = products;
  const others =
    named.length > 1
      ? named.slice(-1)
      : products.filter((other) => other !== one && (other === best || one === best));
  const wrong = comparisons.find(
    ({ says, holds }) => says.test(plain) && !others.some((other) => holds(one, other)),
  );
  return wrong === undefined ? undefined : `{${one.reference}.name} does not compare so with the others`;
};

/** Every claim about prices and ratings must be about a named product. */
const claimsNameTheirProduct: ClaimRule = ({ literal, named }) =>
  named.length === 0 &&
  /\b(?:this|that|it|its|they|these|the (?:first|second|third|last|former|latter)) (?:one )?(?:is|are|has|have|costs?|comes|was|were|offers?|gives?|saves?)\b/iu.test(
    literal,
  )
    ? "a sentence about a product names it by reference"
    : undefined;

/** "{p1.name} suits “{unmet.1}”" would claim what the data does not say. */
const unmetIsDenied: ClaimRule = ({ references, literal }) => {
  const unmet = references.find(({ reference }) => reference.startsWith("unmet."));
  if (unmet === undefined || /\b(?:not|no|none|nothing|cannot)\b|n['’]t\b/iu.test(literal)) return undefined;
  return `{${unmet.reference}} is not met: the sentence must say so`;
};

/** The rules for claims, checked against the facts about the products. */
export const claimRules: readonly ClaimRule[] = [
  factsFollowTheirName,
  numbersMeanWhatTheyAre,
  claimsHold,
  comparisonsHold,
  claimsNameTheirProduct,
  unmetIsDenied,
];
