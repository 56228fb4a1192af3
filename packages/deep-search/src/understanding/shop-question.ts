import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { comparable } from "./colours.ts";

/** What a question about the shop asks of the products that it names. */
export type ShopAsks = "count" | "brands" | "kinds" | "prices" | "presence" | { attribute: string };

export interface ShopQuestion {
  asks: ShopAsks;
  /** "How many brands". */
  isCount?: true;
}

/** A question about the shop, and the rest of its text, which names products. */
export interface ReadShopQuestion extends ShopQuestion {
  rest: string;
}

const lead =
  /^(?:(?:so|and|but|hi|hello|hey|please|ok|okay|then|also|(?:can|could) you|tell me|do you know|i wonder|i'd like to know|let me know)\b[ ,]*)+/u;
const verb = "(?:have|sell|carry|stock|offer|got|keep)";
/** "Do you have", "are there": who has the products says nothing about them. */
const shopVerb = new RegExp(
  `\\b(?:(?:do|does|can|could) (?:you|the (?:shop|store)|your (?:shop|store))(?: guys)? ${verb}(?: got)?(?! to\\b)|have you got|(?:you|we|i)(?:'ve)? (?:have|sell|carry|offer|got)|(?:are|is) there|there (?:are|is)|(?:can|could) (?:you|i) (?:buy|get|find)|(?<!that )(?:are|is) (?:available|sold)(?= ?,?$)|come in|in (?:this|the|your) (?:shop|store|catalog(?:ue)?)|on (?:your )?offer(?= ?,?$)|in total|altogether|overall|here$)\\b`,
  "gu",
);
const named = "brands?|makers?|manufacturers?|producers?|labels";
const kinds = "kinds|types|sorts|categories|varieties|departments";
const attributes: Readonly<Record<string, string>> = {
  colours: "color",
  colors: "color",
  colour: "color",
  color: "color",
  sizes: "size",
  size: "size",
  materials: "material",
  patterns: "pattern",
};
const attribute = Object.keys(attributes).join("|");
const which =
  "(?:in )?(?:what|which|list|name|show me)(?: me)?(?: are| is)?(?: all| the| your| other| different)*";
const quantity = "how many(?: of)?(?: different| other)?";

interface Form {
  pattern: RegExp;
  asks: (match: RegExpExecArray) => ShopAsks;
  isCount?: true;
}

/** The match is removed, except its group `rest`. */
const forms: readonly Form[] = [
  {
    pattern: new RegExp(`^${quantity} (?:${named})\\b(?: of| for| make)?`, "u"),
    asks: () => "brands",
    isCount: true,
  },
  { pattern: new RegExp(`^${quantity} (?:${kinds})\\b(?: of)?`, "u"), asks: () => "kinds", isCount: true },
  {
    pattern: new RegExp(`^${quantity} (?<said>${attribute})\\b(?: of| for)?`, "u"),
    asks: attributeOf,
    isCount: true,
  },
  { pattern: new RegExp(`^${quantity}\\b`, "u"), asks: () => "count" },
  {
    pattern: new RegExp(
      `^${which} (?<rest>(?:[\\p{L}-]+ ){0,2}?)(?:${named})\\b(?: of| for| makes?| (?:are|is)(?! there))?`,
      "u",
    ),
    asks: () => "brands",
  },
  { pattern: /^who (?:makes?|produces?|manufactures?) (?:your|the)?/u, asks: () => "brands" },
  { pattern: /^(?:who|which (?:shop|store)) (?:sells?|has|offers?)\b(?: the)?/u, asks: () => "presence" },
  {
    pattern: new RegExp(
      `^(?:${which} )?(?<rest>(?:[\\p{L}-]+ )??)(?:${kinds})\\b(?= of| do| are| have| can| you|$)(?: of)?`,
      "u",
    ),
    asks: () => "kinds",
  },
  {
    pattern:
      /^what (?:else |all |things |products )?(?:(?:do|can|could) (?:you|i|one|we) (?:sell|have|offer|stock|carry|buy|find|get)|is (?:there|sold))(?: here| in (?:this|the|your) (?:shop|store))?[ ,]*$/u,
    asks: () => "kinds",
  },
  {
    pattern:
      /^(?:from |at |for )?(?:what|which|what's|how (?:high|low))(?: is| are)?(?: the| your)? (?:(?:starting|lowest|cheapest) )?prices?(?: ranges?)?\b(?: of| for| do| does)?/u,
    asks: () => "prices",
  },
  {
    pattern: /^how (?:much|expensive) (?:is|are|do|does|would|will)\b(?: your| the)?/u,
    asks: () => "prices",
  },
  { pattern: /^what (?:do|does) (?:your |the )?(?<rest>.+?) cost[ ,]*$/u, asks: () => "prices" },
  {
    pattern: new RegExp(`^${which} (?<said>${attribute})\\b(?: of| for| do| does| are| is)?`, "u"),
    asks: attributeOf,
  },
  {
    pattern: new RegExp(
      `^(?:(?:do|does) (?:you(?: guys| all)?|the shop|your shop|the store) ${verb}(?: got)?(?! to\\b)|have you got|(?:are|is) there|got any)\\b`,
      "u",
    ),
    asks: () => "presence",
  },
];

function attributeOf({ groups }: RegExpExecArray): ShopAsks {
  return { attribute: attributes[groups?.said ?? ""] ?? "" };
}

/** "How many rugs do you have?", "which brands of speakers are there?" Undefined for a wish. */
export function readShopQuestion(request: string): ReadShopQuestion | undefined {
  const text = request.replace(lead, "").replace(/[\s,]+$/u, "");
  for (const { pattern, asks, isCount } of forms) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const { groups, 0: whole } = match;
    const rest = `${groups?.rest ?? ""} ${text.slice(whole.length)}`;
    return {
      asks: asks(match),
      ...(isCount && { isCount }),
      rest: rest.replace(shopVerb, " ").replace(/\s+/gu, " ").trim(),
    };
  }
  return undefined;
}

/**
 * Whether a product is described with an opinion: "our small table lamp". "Made in a small studio" is not about the lamp, so
 * the sentence must also name the thing, with a word of the product's name or category.
 */
export function statesWish({ name, category = "", description }: StoredProduct, wish: string): boolean {
  const said = ` ${comparable(wish)} `;
  const things = comparable(`${name} ${category}`)
    .split(" ")
    .filter((word) => word.length > 2);
  return [name, ...description.split(/(?<=[.!?])\s+/u)].some((sentence) => {
    const text = ` ${comparable(sentence)} `;
    return text.includes(said) && things.some((word) => text.includes(` ${word} `));
  });
}
