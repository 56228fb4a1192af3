import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "@product-search/testing/random.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { groupWords, wordOf } from "./products.ts";

export interface SearchCounts {
  succeeded: number;
  failed: number;
  /** When a search failed, in tens of seconds, and its status or that there was no response. */
  failures: string[];
}

const everyMs = 250;

/** About four searches a second through the balancer, until the signal aborts. */
export async function searchUntil(
  client: ClusterClient,
  random: Random,
  productCount: () => number,
  signal: AbortSignal,
): Promise<SearchCounts> {
  const counts: SearchCounts = { succeeded: 0, failed: 0, failures: [] };
  const underWay = new Set<Promise<void>>();
  const startedMs = performance.now();
  const search = async () => {
    const from = Math.floor((performance.now() - startedMs) / 10_000) * 10;
    const reply = await client.request(drawSearch(random, productCount()));
    if (reply?.status === 200) counts.succeeded += 1;
    else {
      counts.failed += 1;
      counts.failures.push(
        `${from} to ${from + 10} s: ${reply ? `status ${reply.status}` : "no response in time"}`,
      );
    }
  };
  while (!signal.aborted) {
    const searching = search().finally(() => underWay.delete(searching));
    underWay.add(searching);
    await delay(everyMs, undefined, { signal }).catch(() => {});
  }
  await Promise.all(underWay);
  return counts;
}

function drawSearch(random: Random, products: number): string {
  const group = groupWords[random.integer(0, groupWords.length - 1)];
  const queries = [
    `q=${wordOf(random.integer(0, Math.max(0, products - 1)))}`,
    `q=${group}`,
    `q=${group}&sort=price&page=2`,
    `q=rehearsed+${group}&facets=brands,price`,
  ];
  return `/api/v1/search/catalog?count=10&${queries[random.integer(0, queries.length - 1)]}`;
}
