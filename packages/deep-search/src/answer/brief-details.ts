import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { AnswerBrief } from "@product-search/core/ports/answer-writer.ts";
import type { Retrieved } from "../retrieval/retrieve.ts";
import { comparable, namesThing } from "../understanding/colours.ts";
import type { Intent, Understanding } from "../understanding/understanding.ts";
import { materialsFor } from "../understanding/word-lists.ts";
import { type AsWritten, isSpeakable } from "./format.ts";

const maxKinds = 5;

/** The thing as the user named it. */
export function saidOf(
  intent: Intent | undefined,
  { constraints: { brands = [] } }: Intent,
  asWritten: AsWritten,
): { wording?: string } {
  const { requestWords: words = [] } = intent ?? {};
  const brand = brands.length === 1 ? asWritten(brands) : undefined;
  const said = brand ?? asWritten(words) ?? asWritten(words.slice(-1));
  return said === undefined ? {} : { wording: said };
}

/** What was asked for by a feature that serves it, and the feature, if the best product's name has it. */
export function servedOf(
  { parts, products }: Retrieved,
  asWritten: AsWritten,
): Pick<AnswerBrief, "served" | "servedBy" | "nameSays"> {
  const [part] = parts;
  const [best] = products;
  if (parts.length !== 1 || part === undefined || best === undefined) return {};
  if (part.served === undefined) return saidByName(part, best, asWritten);
  const { words: asked, by } = part.served;
  const served = asWritten(asked.slice(0, 1));
  if (served === undefined) return {};
  if (has(best.name, by)) return { served, servedBy: by };
  const material = materialsFor.get(by)?.find((name) => has(best.name, name));
  return material === undefined ? { served } : { nameSays: { wording: served, by: material } };
}

/** The index finds oak for "wooden": then the name of the product is the reason, although it does not have the word. */
function saidByName(
  { intent, droppedWords }: Retrieved["parts"][number],
  { name, description }: StoredProduct,
  asWritten: AsWritten,
): Pick<AnswerBrief, "nameSays"> {
  const words = intent.words.filter(
    (word) => !droppedWords.includes(word) && !has(`${name} ${description}`, word),
  );
  for (const word of words) {
    const by = materialsFor.get(word)?.find((feature) => has(name, feature));
    const said = asWritten([word]);
    if (by !== undefined && said !== undefined) return { nameSays: { wording: said, by } };
  }
  return {};
}

function has(text: string, words: string): boolean {
  return ` ${comparable(text)} `.includes(` ${comparable(words)} `);
}

/** "Anything by Noctis" asks for a maker. */
export function isMaker({ requestWords, absent }: Intent, request: string): boolean {
  const [first = ""] = requestWords;
  if (absent === undefined || !/^\p{L}+$/u.test(first)) return false;
  return new RegExp(
    `(?<!\\p{L})(?:by|from|von|de|d'|brand|marke|marque|marca) ${first}(?!\\p{L})`,
    "iu",
  ).test(request);
}

/** A request for everything of a brand or of a store. */
export function rangeOf({ parts }: Retrieved): Pick<AnswerBrief, "range"> {
  const [part] = parts;
  if (parts.length !== 1 || part === undefined || part.relaxed.length > 0) return {};
  const { words, purpose, wishes, kinds, constraints } = part.intent;
  const isOnly = [...words, ...purpose, ...wishes].length === 0 && kinds === undefined;
  const names = Object.keys(constraints);
  const [of] = names.length === 1 ? names : [];
  const categories = part.hits.facets?.categories ?? [];
  const values = categories.slice(0, maxKinds).map(({ value }) => kindOf(value));
  if (!isOnly || values.length < 2 || (of !== "brands" && of !== "stores")) return {};
  return {
    range: { of: of === "brands" ? "brand" : "store", kinds: values, hasMore: categories.length > maxKinds },
  };
}

/** The answer to a question about the shop. Brands come by reference to their products. */
export function shopOf({ shop, products }: Retrieved): Pick<AnswerBrief, "shop"> {
  if (shop === undefined) return {};
  const { asks, isCount = false, names, more } = shop;
  const ofBrand = (name: string): string[] => {
    const at = products.findIndex(({ brand }) => brand === name);
    return at < 0 ? [] : [`p${at + 1}`];
  };
  const said =
    asks === "brands"
      ? names.flatMap(ofBrand)
      : (asks === "kinds" ? names.map(kindOf) : names).filter(isSpeakable);
  return {
    shop: {
      asks: typeof asks === "object" ? "values" : asks,
      isCount,
      names: said,
      more: more + names.length - said.length,
    },
  };
}

/** If a purpose names no thing, and all products for it are of one kind, that is worth saying. */
export function onlyKindOf({ parts }: Retrieved, asWritten: AsWritten): Pick<AnswerBrief, "onlyKind"> {
  const [part] = parts;
  const [category, ...others] = part?.hits.facets?.categories ?? [];
  const isOnly = parts.length === 1 && part !== undefined && namesNoThing(part.intent) && others.length === 0;
  if (!isOnly || category === undefined || part.hits.total < 2 || part.droppedWords.length > 0) return {};
  const said = asWritten(part.intent.words);
  return said === undefined ? {} : { onlyKind: { kind: kindOf(category.value), wording: said } };
}

export function askedOf({ question }: Understanding, asWritten: AsWritten): Pick<AnswerBrief, "topic"> {
  const asked = typeof question?.topic === "object" ? asWritten(question.topic.words) : undefined;
  return asked === undefined ? {} : { topic: asked };
}

/** "A chair and a lamp under 300": whether the best of each cost less than that together. */
export function isTogetherWithinLimit({ parts }: Retrieved): boolean {
  const bounds = parts.flatMap(({ intent }) => intent.constraints.maxPriceMinor ?? []);
  const prices = parts.flatMap(({ products: [best] }) => best?.priceMinor ?? []);
  if (parts.length < 2 || bounds.length < parts.length || prices.length < parts.length) return false;
  return prices.reduce((sum, price) => sum + price, 0) <= Math.min(...bounds);
}

/** What comes near a thing that the catalog does not have. */
export function nearOf({ parts }: Retrieved, asWritten: AsWritten): Pick<AnswerBrief, "near" | "nearFor"> {
  const near = [...new Set(parts.flatMap((part) => part.near ?? []))].map(kindOf);
  const nearFor = asWritten(parts.flatMap((part) => part.nearFor ?? []).slice(0, 1));
  return { near, ...(nearFor !== undefined && { nearFor }) };
}

/** Whether the name of a product has the noun of the request. */
export function isNamedBy({ requestWords }: Intent, { name }: StoredProduct): boolean {
  const noun = requestWords.at(-1);
  return noun !== undefined && namesThing(name, noun);
}

/** "Home > Lamps" → "lamps". */
function kindOf(category: string): string {
  return (category.split(">").at(-1) ?? category).trim().toLowerCase();
}

/** The request names a purpose only. */
function namesNoThing({ head, kinds, words, constraints }: Intent): boolean {
  const { categories, brands, stores } = constraints;
  return [head, kinds, categories, brands, stores].every((name) => name === undefined) && words.length > 0;
}
