import type { TrialQuery } from "@product-search/client";

type Sorting = Pick<TrialQuery, "sort" | "order">;

/** The orders that are worth a name of their own; the first is what a search without words about it gets. */
export const sortings: readonly [name: string, sorting: Sorting][] = [
  ["Best match", {}],
  ["Price, lowest first", { sort: "price:relevance" }],
  ["Price, highest first", { sort: "price:relevance", order: "desc" }],
  ["Best rated", { sort: "rating" }],
  ["Biggest discount", { sort: "discount" }],
];

/** Which of them the page's address means; the first when it names none. */
export function sortingIndex(sort: string, order: string): number {
  const index = sortings.findIndex(([, one]) => (one.sort ?? "") === sort && (one.order ?? "") === order);
  return Math.max(0, index);
}
