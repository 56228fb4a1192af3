import { z } from "zod";
import type { Cluster } from "./cluster.ts";

export interface ShardRule {
  /** The number of shards, chosen by the operator. Default: by the number of entries. */
  readonly chosen: number | undefined;
  /** How many entries a shard gets when the number is not chosen. */
  readonly entriesEach: number;
}

export interface IndexShape {
  readonly shards: number;
  readonly entries: number;
}

/** More shards make every search slower than they help. */
export const mostShards = 32;

/** Every shard that a search has to ask makes it more expensive, so a small index has one. */
export function shardsFor({ chosen, entriesEach }: ShardRule, entries: number): number {
  return chosen ?? Math.min(mostShards, Math.max(1, Math.ceil(entries / entriesEach)));
}

/** More than twice too few or too many. The margin prevents that an index is built again for every small change. */
export function hasWrongShards(rule: ShardRule, { shards, entries }: IndexShape): boolean {
  const right = shardsFor(rule, entries);
  return rule.chosen === undefined ? shards * 2 < right || shards > right * 2 : shards !== right;
}

/** The rows of a database in the order of their ids. */
interface Rows {
  scan(afterRowId: number, limit: number): Promise<ReadonlyArray<{ readonly id: number }>>;
}

/**
 * About how many rows there are: nearly the greatest id, found by halving. To count them would take too long. It is too
 * many where rows were removed; the index is built again if that makes a difference.
 */
export async function estimateEntries(rows: Rows): Promise<number> {
  const idAfter = async (id: number) => (await rows.scan(id, 1))[0]?.id;
  let low = 0;
  let high = 0;
  for (let next = await idAfter(0); next !== undefined; next = await idAfter(high)) {
    low = next;
    high = 2 * next;
  }
  while (high - low > low / 8 + 1) {
    const middle = Math.floor((low + high) / 2);
    const next = await idAfter(middle);
    if (next === undefined) high = middle;
    else low = next;
  }
  return low;
}

const settings = z.record(z.string(), z.object({ settings: z.record(z.string(), z.string()) }));
const stats = z.object({
  _all: z.object({ primaries: z.object({ docs: z.object({ count: z.number() }) }) }),
});
const shardsSetting = "index.number_of_shards";

/** Counts the documents of the index, so images count beside their products. */
export async function readShape(cluster: Cluster, index: string): Promise<IndexShape> {
  const get = (path: string) => cluster.request({ method: "GET", path: `/${index}/${path}` });
  const found = settings.parse(await get(`_settings/${shardsSetting}?flat_settings=true`));
  const { _all } = stats.parse(await get("_stats/docs"));
  return {
    shards: Number(Object.values(found)[0]?.settings[shardsSetting]),
    entries: _all.primaries.docs.count,
  };
}
