import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { unlessUsedUp } from "../reading.ts";
import type { Intent } from "../understanding/understanding.ts";
import { filtersOf } from "./intent-filters.ts";

/**
 * Limits the price of each intent so that the budget still covers the cheapest product of every other intent. Then every
 * product found for one intent can be bought together with some product of each of the others.
 */
export async function fitBudget(
  textSearch: TextSearch,
  intents: readonly Intent[],
  budgetMinor: number,
  priceOf: (rowId: number) => Promise<number | undefined>,
  signal: AbortSignal,
): Promise<Intent[]> {
  const cheapest = await Promise.all(
    intents.map(async (intent) => {
      const query = { ...cheapestOne, text: intent.words.join(" "), filters: filtersOf(intent) };
      const { rowIds } = await unlessUsedUp(() => textSearch.search(query, signal), { rowIds: [] });
      return rowIds[0] === undefined ? 0 : ((await priceOf(rowIds[0])) ?? 0);
    }),
  );
  const all = cheapest.reduce((sum, price) => sum + price, 0);
  return intents.map((intent, index) => {
    const left = budgetMinor - (all - (cheapest[index] ?? 0));
    const bound = Math.min(left, intent.constraints.maxPriceMinor ?? left);
    return { ...intent, constraints: { ...intent.constraints, maxPriceMinor: bound } };
  });
}

const cheapestOne = { sort: "price", order: "asc", offset: 0, limit: 1, everyWord: true } as const;

interface Priced {
  priceMinor: number;
}

/** One product of each list, as early as possible, together within the budget; undefined if there is no such choice. */
export function chooseTogether<Item extends Priced>(
  lists: readonly (readonly Item[])[],
  budgetMinor: number,
): Item[] | undefined {
  let best: { items: Item[]; rank: number } | undefined;
  const choose = (index: number, items: Item[], left: number, rank: number): void => {
    if (best !== undefined && rank >= best.rank) return;
    const list = lists[index];
    if (list === undefined) {
      best = { items, rank };
      return;
    }
    for (const [position, item] of list.entries()) {
      if (item.priceMinor <= left)
        choose(index + 1, [...items, item], left - item.priceMinor, rank + position);
    }
  };
  choose(0, [], budgetMinor, 0);
  return best?.items;
}
