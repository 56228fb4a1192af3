import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { starsForPrice } from "@product-search/core/domain/stars-for-price.ts";
import { comparable, namesThing } from "../understanding/same-word.ts";
import { statesWish } from "../understanding/states-wish.ts";
import type { Intent, Sorting } from "../understanding/understanding.ts";
import type { FoundIntent } from "./find-intent.ts";

/** If reductions are asked for, what one percent is worth in stars. */
const starsPerPercentOff = 0.1;
const goodRating = 4;

/**
 * Puts the product to recommend first: of those that fit the request equally well, the one with the best rating for its
 * price. Then no other product of the list is both cheaper and better rated. A list in a requested order keeps it, except that
 * of several best rated products the cheapest comes first.
 */
export function bestFirst(
  products: readonly StoredProduct[],
  found: FoundIntent,
  { sort, order }: Sorting,
): StoredProduct[] {
  const [first] = products;
  if (first === undefined) return [];
  if (sort === "rating" && order === "desc") return cheapestOfBestFirst(products, first);
  if (sort !== "relevance") return [...products];
  const fits = new Map(products.map((product) => [product, fitOf(product, found)]));
  const fit = (product: StoredProduct): number => fits.get(product) ?? 0;
  const isSale = found.intent.constraints.minDiscount !== undefined;
  const value = ({ averageRating: rating, priceMinor, discountVal }: StoredProduct): number =>
    starsForPrice({ ...(rating !== undefined && { rating }), priceMinor }) +
    (isSale ? discountVal * starsPerPercentOff : 0);
  const most = Math.max(...products.map(fit));
  const fitting = products.filter((product) => fit(product) === most);
  // Prices compare within one kind of thing only: a running shirt is no cheap running shoe.
  const alike = fitting.filter(({ category }) => category === fitting[0]?.category);
  const [best = first] = alike.toSorted((a, b) => value(b) - value(a));
  return moveFirst(products, best);
}

function cheapestOfBestFirst(products: readonly StoredProduct[], first: StoredProduct): StoredProduct[] {
  const tied = products.filter(({ averageRating }) => averageRating === first.averageRating);
  const [best = first] = tied.toSorted((a, b) => waits(a) - waits(b) || a.priceMinor - b.priceMinor);
  return moveFirst(products, best);
}

function moveFirst(products: readonly StoredProduct[], best: StoredProduct): StoredProduct[] {
  return [best, ...products.filter((product) => product !== best)];
}

function waits({ availability }: StoredProduct): number {
  return availability === "in_stock" ? 0 : availability === "out_of_stock" ? 2 : 1;
}

/** How much of the request the product's own texts state. What cannot be bought now fits worst. */
function fitOf(product: StoredProduct, { intent, served, droppedWords }: FoundIntent): number {
  const { name, description, averageRating = 0, category = "" } = product;
  const texts = ` ${comparable(`${name} ${category} ${description}`)} `;
  const has = (word: string): boolean => texts.includes(` ${comparable(word)} `);
  const wished = intent.wishes.filter((wish) => statesWish(product, wish)).length;
  const asked = askedWords(intent, droppedWords);
  const noun = intent.said.at(-1);
  const isNamed = noun !== undefined && namesThing(name, noun);
  return (
    [...asked, ...(served === undefined ? [] : [served.by])].filter(has).length +
    wished +
    (isNamed ? 1 : 0) +
    (averageRating >= goodRating ? 1 : 0) -
    100 * waits(product)
  );
}

function askedWords(
  { words, purpose, constraints: { colours = [] } }: Intent,
  dropped: readonly string[],
): string[] {
  const all = [...words, ...purpose, ...colours.flat()];
  return [...new Set(all)].filter((word) => !dropped.includes(word));
}
