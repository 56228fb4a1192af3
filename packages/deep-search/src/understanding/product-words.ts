import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { comparable, namesColour } from "./colours.ts";

type Texts = Pick<StoredProduct, "name" | "description" | "category" | "attributes">;

/** What a product says about itself, but not its brand and its store. */
export function textOfProduct({ name, description, category = "", attributes = {} }: Texts): string {
  return [name, category, description, ...Object.values(attributes).flat()].join(" . ");
}

/** The name of an attribute that says which colour a product has. */
const colourAttribute = /(?:^|[ _-])(?:colou?rs?|farben?|couleurs?|colore?s?)(?:$|[ _-])/u;

/**
 * Whether a product has all these colours, each in one of its spellings. If an attribute says which colour a variant has, the
 * description of all variants ("also in navy") does not.
 */
export function hasColours(product: Texts, colours: readonly (readonly string[])[]): boolean {
  if (colours.length === 0) return true;
  const { name, category = "", attributes = {} } = product;
  const own = Object.entries(attributes)
    .filter(([key]) => colourAttribute.test(key))
    .flatMap(([, values]) => values)
    .filter(namesColour);
  const isIn = (words: ReadonlySet<string>) => (group: readonly string[]) =>
    group.some((colour) => words.has(comparable(colour)));
  if (own.length > 0 && !colours.some(isIn(wordSetOf([name, category, ...own].join(" . "))))) return false;
  return colours.every(isIn(wordSetOf(textOfProduct(product))));
}

export function wordSetOf(text: string): ReadonlySet<string> {
  return new Set(comparable(text).split(" "));
}
