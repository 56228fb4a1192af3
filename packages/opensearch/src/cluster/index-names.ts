import { randomBytes } from "node:crypto";
import { type Lease, LeaseLostError } from "@product-search/core/ports/leases.ts";
import { z } from "zod";
import { type Cluster, ClusterError } from "./cluster.ts";

/** The index behind an alias, and its progress. */
export interface BuiltIndex {
  readonly name: string;
  /** The sequence of the last change that is included. */
  sequence: number;
  /** The version of its layout. */
  readonly version: number;
  /** Tells what is inside, such as the model of its vectors. */
  readonly identity: string;
  /** Of the store's history up to the change. */
  mark: string;
  /** The row up to which an unfinished index has been filled; undefined if it has all rows. */
  scannedTo?: number | undefined;
  readonly build: IndexBuild;
}

/** How far an index has been filled. */
export interface IndexBuild {
  written: number;
  readonly total: number;
  readonly sinceMs: number;
}

const aliases = z.record(z.string(), z.unknown());
const state = z.object({
  _source: z.object({
    sequence: z.number(),
    version: z.number(),
    identity: z.string(),
    mark: z.string(),
    scannedTo: z.number().optional(),
    // Records of former releases have none.
    build: z
      .object({ written: z.number(), total: z.number(), sinceMs: z.number() })
      .default({ written: 0, total: 0, sinceMs: 0 }),
  }),
});

/** Nodes of releases before leases had aliases write through this one. */
const formerWriterOf = (name: string) => `${name}-writer`;

/** The name of the index behind the alias. */
async function findSearched(cluster: Cluster, alias: string): Promise<string | undefined> {
  return Object.keys(aliases.parse((await absentAs({}, cluster, `/_alias/${alias}`)) ?? {}))[0];
}

/** The index behind the alias; undefined if there is none, or its progress is unknown. */
export async function findBuiltIndex(cluster: Cluster, alias: string): Promise<BuiltIndex | undefined> {
  const name = await findSearched(cluster, alias);
  return name === undefined ? undefined : readState(cluster, alias, name);
}

/** Indexes of which only some rows were written before their build was interrupted. */
export async function findUnfinished(cluster: Cluster, alias: string): Promise<BuiltIndex[]> {
  const searched = await findSearched(cluster, alias);
  const names = (await findBuilds(cluster, alias)).filter((name) => name !== searched);
  const states = await Promise.all(names.map((name) => readState(cluster, alias, name)));
  return states.filter((one) => one !== undefined);
}

/** How far an index that is being filled for the alias is; undefined if none is. */
export async function findBuild(cluster: Cluster, alias: string): Promise<IndexBuild | undefined> {
  const unfinished = (await findUnfinished(cluster, alias)).filter(
    ({ scannedTo }) => scannedTo !== undefined,
  );
  const build = unfinished.toSorted((a, b) => b.build.sinceMs - a.build.sinceMs)[0]?.build;
  // Rows may have been added since they were counted.
  return build && { ...build, total: Math.max(build.total, build.written) };
}

async function readState(cluster: Cluster, alias: string, name: string): Promise<BuiltIndex | undefined> {
  const found = await absentAs(undefined, cluster, `/${stateIndexOf(alias)}/_doc/${name}`);
  return found === undefined ? undefined : { name, ...state.parse(found)._source };
}

/** All indexes that were built for the alias, complete or not. */
async function findBuilds(cluster: Cluster, alias: string): Promise<string[]> {
  const found = aliases.parse((await absentAs({}, cluster, `/${alias}-v*/_alias`)) ?? {});
  // Not those of a service whose prefix begins with this alias.
  return Object.keys(found).filter((name) => /^-v\d+-[0-9a-f]+$/.test(name.slice(alias.length)));
}

/**
 * OpenSearch gives a copy up after so many failed attempts, by default five. An attempt fails after five seconds while the
 * former copy on that node is still used by a search whose coordinating node hung: that is up to six minutes.
 */
const allocation = { "allocation.max_retries": 100 };

export interface IndexForm {
  readonly shards: number;
  /** Copies of each shard besides the first, as far as there are nodes for them. */
  readonly replicas: number;
  readonly settings: object;
  readonly mappings: object;
}

const upTo = (replicas: number) => `0-${replicas}`;

export async function createIndex(
  cluster: Cluster,
  alias: string,
  version: number,
  { shards, replicas, settings, mappings }: IndexForm,
): Promise<string> {
  const name = `${alias}-v${version}-${randomBytes(6).toString("hex")}`;
  const body = {
    mappings,
    // It is not searched while it is built.
    settings: {
      ...allocation,
      ...settings,
      number_of_shards: shards,
      auto_expand_replicas: upTo(replicas),
      refresh_interval: "-1",
    },
    // Nodes of that release may lead again during an upgrade, and write through it.
    aliases: { [formerWriterOf(name)]: {} },
  };
  await cluster.request({ method: "PUT", path: `/${name}`, body, timeoutMs: 60_000, retry: false });
  return name;
}

/** Records the progress of an index. A record with more progress stays. Fails with 404 if a later holder has begun. */
export async function saveState(
  cluster: Cluster,
  leaseAlias: string,
  { name, ...body }: BuiltIndex,
): Promise<void> {
  const version = `version_type=external_gte&version=${body.sequence}`;
  const path = `/${leaseAlias}/_doc/${name}?require_alias=true&${version}`;
  try {
    await cluster.request({ method: "PUT", path, body, firstAttemptMs: 1_000 });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 409) throw error;
  }
}

export async function createStateIndex(cluster: Cluster, alias: string): Promise<void> {
  const settings = { ...allocation, number_of_shards: 1, auto_expand_replicas: upTo(1) };
  try {
    const path = `/${stateIndexOf(alias)}`;
    await cluster.request({ method: "PUT", path, body: { settings, mappings: { dynamic: false } } });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 400 || !error.message.includes("already_exists"))
      throw error;
  }
}

/** Lets the holder of the lease write entries. */
export async function openWriter(
  cluster: Cluster,
  alias: string,
  leaseAlias: string,
  name: string,
): Promise<void> {
  const writer = writerOf(alias, leaseAlias, name);
  await changeUnderLease(cluster, alias, leaseAlias, [{ add: { index: name, alias: writer } }]);
}

/** For an index that was built when the setting was another. */
export async function setReplicas(cluster: Cluster, writer: string, replicas: number): Promise<void> {
  const body = { index: { auto_expand_replicas: upTo(replicas) } };
  await cluster.request({ method: "PUT", path: `/${writer}/_settings`, body });
}

/** Switches searches atomically from the former index to this one. */
export async function putUnderAlias(
  cluster: Cluster,
  alias: string,
  leaseAlias: string,
  name: string,
  refreshInterval: string,
): Promise<void> {
  const writer = writerOf(alias, leaseAlias, name);
  await cluster.request({
    method: "PUT",
    path: `/${writer}/_settings`,
    body: { index: { refresh_interval: refreshInterval } },
  });
  await cluster.request({ method: "POST", path: `/${writer}/_refresh`, timeoutMs: 120_000 });
  const former = await findSearched(cluster, alias);
  await changeUnderLease(cluster, alias, leaseAlias, [
    { add: { index: name, alias } },
    ...(former === undefined || former === name ? [] : [{ remove: { index: former, alias } }]),
  ]);
}

/** Deletes all builds but the one that is searched. */
export async function deleteOtherIndexes(cluster: Cluster, alias: string, leaseAlias: string): Promise<void> {
  const searched = await findSearched(cluster, alias);
  const others = (await findBuilds(cluster, alias)).filter((name) => name !== searched);
  if (others.length === 0) return;
  const changes = others.map((index) => ({ remove_index: { index } }));
  await changeUnderLease(cluster, alias, leaseAlias, changes);
  for (const name of others) await absentAs(undefined, cluster, `/${leaseAlias}/_doc/${name}`, "DELETE");
}

async function absentAs(
  absent: unknown,
  cluster: Cluster,
  path: string,
  method: "GET" | "DELETE" = "GET",
): Promise<unknown> {
  try {
    return await cluster.request({ method, path });
  } catch (error) {
    if (error instanceof ClusterError && error.status === 404) return absent;
    throw error;
  }
}

export interface ShardRule {
  /** The number of shards, chosen by the operator. Default: by the number of entries. */
  readonly chosen: number | undefined;
  /** How many entries a shard gets when the number is not chosen. */
  readonly entriesEach: number;
}

interface IndexShape {
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

/** The lease of the job that writes an index. */
export type HeldLease = Pick<Lease, "job" | "number" | "isHeld">;

/** One change of `_aliases`. All changes of a request are made in one step, or none. */
export type AliasAction =
  | { readonly add: { readonly index: string; readonly alias: string } }
  | { readonly remove: { readonly index: string; readonly alias: string; readonly must_exist?: true } }
  | { readonly remove_index: { readonly index: string } };

const found = z.record(z.string(), z.object({ aliases: z.record(z.string(), z.unknown()) }));

const stateIndexOf = (alias: string) => `${alias}-state`;

/**
 * Entries of an index are written through this alias, which its lease has. They fail when the alias is gone, instead
 * of creating an index.
 */
export const writerOf = (alias: string, leaseAlias: string, name: string) =>
  `${leaseAlias}${name.slice(alias.length)}`;

/**
 * Ends all that former holders may do with the indexes of the alias, and returns the lease alias of this one. A lease
 * alias is an alias of the state index that exists until the next holder begins. Every change requires that it exists.
 *
 * Fails with `LeaseLostError` if another node has the lease. Two that begin at the same time cannot both succeed: whoever
 * asks the database last sees the other's lease alias.
 */
export async function beginLease(cluster: Cluster, alias: string, lease: HeldLease): Promise<string> {
  const leaseAlias = `${alias}-lease-${lease.number}-${randomBytes(4).toString("hex")}`;
  const former = await findLeaseAliases(cluster, alias);
  await assertHeld(lease);
  const actions: AliasAction[] = [
    ...former.map((one) => ({ remove: { ...one, must_exist: true as const } })),
    { add: { index: stateIndexOf(alias), alias: leaseAlias } },
  ];
  // Not twice: an attempt that arrives late would add the alias again when another node has removed it.
  await cluster.request({ method: "POST", path: "/_aliases", body: { actions }, retry: false });
  const now = await findLeaseAliases(cluster, alias);
  await assertHeld(lease);
  if (now.length !== 1 || now[0]?.alias !== leaseAlias)
    throw new ClusterError(undefined, `another node began to write "${alias}" at the same time`);
  return leaseAlias;
}

/** Makes all changes, or none: with status 404, if a later holder has begun or an index does not exist. */
async function changeUnderLease(
  cluster: Cluster,
  alias: string,
  leaseAlias: string,
  changes: readonly AliasAction[],
): Promise<void> {
  const own = { index: stateIndexOf(alias), alias: leaseAlias };
  const actions: AliasAction[] = [{ remove: { ...own, must_exist: true } }, { add: own }, ...changes];
  await cluster.request({ method: "POST", path: "/_aliases", body: { actions } });
}

async function assertHeld(lease: HeldLease): Promise<void> {
  if (!(await lease.isHeld())) throw new LeaseLostError(lease);
}

async function findLeaseAliases(
  cluster: Cluster,
  alias: string,
): Promise<Array<{ index: string; alias: string }>> {
  const path = `/${alias}-*/_alias/${alias}-lease-*`;
  return Object.entries(found.parse(await cluster.request({ method: "GET", path }))).flatMap(
    ([index, { aliases }]) => Object.keys(aliases).map((name) => ({ index, alias: name })),
  );
}
