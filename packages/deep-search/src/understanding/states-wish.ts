import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { comparable } from "./same-word.ts";

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
