import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { colourNames } from "../understanding/colours.ts";
import { comparable } from "../understanding/same-word.ts";

export interface Diversity {
  limit: number;
  /** Maximum number of products of one brand, as long as there are others. */
  perBrand: number;
  /** Products that cannot be bought come last. */
  availableFirst: boolean;
}

/** If there are fewer different things than this, other sizes and colours of one thing are shown as well. */
const enough = 3;
const sizes = new Set("xs s m l xl xxl xxxl small medium large size eu uk us one".split(" "));

/** Chooses different things from the best hits and keeps their order, so that the result is not ten sizes of one shoe. */
export function diversify(products: readonly StoredProduct[], diversity: Diversity): StoredProduct[] {
  const ordered = diversity.availableFirst
    ? products.toSorted((one, other) => waitFor(one) - waitFor(other))
    : [...products];
  const families = new Set<string>();
  const different = ordered.filter((product) => isNew(families, familyOf(product)));
  const spread = spreadBrands(different, diversity.perBrand).slice(0, diversity.limit);
  const chosen = spread.length >= enough ? spread : ordered.slice(0, diversity.limit);
  const positions = new Map(ordered.map((product, index) => [product.rowId, index]));
  return chosen.toSorted((a, b) => (positions.get(a.rowId) ?? 0) - (positions.get(b.rowId) ?? 0));
}

function spreadBrands(products: readonly StoredProduct[], perBrand: number): StoredProduct[] {
  const counts = new Map<string, number>();
  const first: StoredProduct[] = [];
  const surplus: StoredProduct[] = [];
  for (const product of products) {
    const brand = product.brand ?? "";
    const count = (counts.get(brand) ?? 0) + 1;
    counts.set(brand, count);
    (brand === "" || count <= perBrand ? first : surplus).push(product);
  }
  return [...first, ...surplus];
}

/** Products in stock first, then those that can be ordered, then those out of stock. */
function waitFor({ availability }: StoredProduct): number {
  return availability === "in_stock" ? 0 : availability === "out_of_stock" ? 2 : 1;
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/**
 * The common name of all variants of a thing: its name up to the first comma or bracket, which most shops put before the
 * variant, without sizes, numbers and colours.
 */
function familyOf({ brand = "", name }: StoredProduct): string {
  const [start = ""] = name.split(/,|\(|\s[–—|-]\s/u);
  const base = start.trim().includes(" ") ? start : name;
  const words = comparable(base.includes(brand) ? base : `${brand} ${base}`).split(" ");
  return words.filter((word) => !/\d/u.test(word) && !sizes.has(word) && !colourNames.has(word)).join(" ");
}
