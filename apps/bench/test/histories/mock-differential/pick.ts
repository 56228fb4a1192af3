import type { Random } from "@product-search/sample-catalog";

/** One of a list that has something in it, which its type need not say. */
export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}
