import type { Ask } from "./ask.ts";
import { groupOf, groupWords, keyOf, wordOf } from "./load/products.ts";
import { totalOf } from "./load/replies.ts";
import type { ServicePart } from "./parts/service-part.ts";

/** Searches whose total follows from the products that exist. */
function expectedTotals(keys: ReadonlySet<string>, productCount: number): Map<string, number> {
  const numbers = Array.from({ length: productCount }, (_, number) => number).filter((number) =>
    keys.has(keyOf(number)),
  );
  const totals = new Map<string, number>();
  for (const group of groupWords) {
    const members = numbers.filter((number) => groupOf(number) === group).length;
    for (const more of [
      "",
      "&sort=price",
      "&brands=Ferrolux",
      "&availability=in_stock&page=2",
      "&facets=price",
    ]) {
      totals.set(`q=${group}&literal=true${more}`, members);
    }
  }
  for (const number of numbers.slice(0, 25)) totals.set(`q=${wordOf(number)}&literal=true`, 1);
  return totals;
}

/** Searches whose total is not that of the products. Fails if the node does not respond to one of them. */
export async function compareTotals(
  ask: Ask,
  node: ServicePart,
  keys: ReadonlySet<string>,
  productCount: number,
): Promise<string[]> {
  const different: string[] = [];
  for (const [search, expected] of expectedTotals(keys, productCount)) {
    const total = totalOf(await ask(node, `/api/v1/search/catalog?count=5&${search}`));
    if (total !== expected) different.push(`${node.name}: ${search}: ${total}, not ${expected}`);
  }
  return different;
}
