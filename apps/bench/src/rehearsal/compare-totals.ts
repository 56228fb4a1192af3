import { setTimeout as delay } from "node:timers/promises";
import type { ClusterClient } from "./load/cluster-client.ts";
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

const attempts = 20;

/** Searches on every node whose total is not that of the products. */
export async function compareTotals(
  client: ClusterClient,
  keys: ReadonlySet<string>,
  productCount: number,
): Promise<string[]> {
  const different: string[] = [];
  for (const [search, expected] of expectedTotals(keys, productCount)) {
    for (const node of client.nodes) {
      const total = await askTotal(client, node, `/api/v1/search/catalog?count=5&${search}`);
      if (total !== expected) different.push(`${node.name}: ${search}: ${total}, not ${expected}`);
    }
  }
  return different;
}

async function askTotal(client: ClusterClient, node: ServicePart, path: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const total = totalOf(await client.requestFrom(node, path));
    if (total !== undefined) return total;
    await delay(500);
  }
  return undefined;
}
