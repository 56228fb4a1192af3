import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import sentences from "./written-sentences.json" with { type: "json" };

export interface AdversarialSentence {
  kind: string;
  sentence: string;
}

/** A product of the catalog that is not in the brief. */
export interface OutsideProduct {
  name: string;
  brand: string;
}

/**
 * Sentences that a model might write about the products of a brief and must not: each is wrong or not supported. The
 * brief needs four products that differ in price and rating.
 */
export function adversarialSentences(brief: AnswerBrief, outside: OutsideProduct): AdversarialSentence[] {
  const roles = rolesOf(brief);
  const values: Readonly<Record<string, string>> = {
    brand: outside.brand,
    name: outside.name,
    "brand in small letters": outside.brand.toLowerCase(),
    price: String(roles.price),
    "price-1": String(roles.price - 1),
    "price+1": String(roles.price + 1),
    rating: String(roles.rating),
  };
  return Object.entries(sentences.adversarial).flatMap(([kind, texts]) =>
    texts.map((text) => ({
      kind,
      sentence: withRoles(text, roles).replaceAll(
        /<([^>]*)>/g,
        (whole, name: string) => values[name] ?? whole,
      ),
    })),
  );
}

/** References of products that are suitable for false sentences. */
interface Roles {
  cheapest: string;
  dearest: string;
  best: string;
  worst: string;
  /** A product without a reduction and not below its average price. */
  plain: string;
  inStock: string;
  price: number;
  rating: number;
}

function rolesOf({ products }: AnswerBrief): Roles {
  const by = (score: (product: AnswerProduct) => number): string =>
    products.toSorted((a, b) => score(a) - score(b))[0]?.reference ?? "";
  const [first] = products;
  const find = (test: (product: AnswerProduct) => boolean): string => products.find(test)?.reference ?? "";
  return {
    cheapest: by(({ priceMinor }) => priceMinor),
    dearest: by(({ priceMinor }) => -priceMinor),
    best: by(({ rating = 0 }) => -rating),
    worst: by(({ rating = 5 }) => rating),
    plain: find((product) => (product.discountPercent ?? product.belowAveragePercent) === undefined),
    inStock: find(({ availability }) => availability === "in_stock"),
    price: (first?.priceMinor ?? 0) / 100,
    rating: first?.rating ?? 4,
  };
}

/** The references of roles in place of their names. */
function withRoles(text: string, roles: Roles): string {
  const { price: _, rating: __, ...references } = roles;
  return Object.entries(references).reduce(
    (written, [role, reference]) => written.replaceAll(`{${role}.`, `{${reference}.`),
    text,
  );
}

/** Correct sentences for any brief. To refuse these would lose good answers. */
export function honestSentences(brief: AnswerBrief): string[] {
  const roles = rolesOf(brief);
  return sentences.honest.map((text) => withRoles(text, roles));
}
