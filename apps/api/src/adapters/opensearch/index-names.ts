import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";
import { changeUnderLease, stateIndexOf, writerOf } from "./index-lease.ts";

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
}

const aliases = z.record(z.string(), z.unknown());
const state = z.object({
  _source: z.object({ sequence: z.number(), version: z.number(), identity: z.string(), mark: z.string() }),
});

/** Nodes of releases before leases had aliases write through this one. */
const formerWriterOf = (name: string) => `${name}-writer`;

/** The index behind the alias; undefined if there is none, or its progress is unknown. */
export async function findBuiltIndex(cluster: Cluster, alias: string): Promise<BuiltIndex | undefined> {
  const [name] = Object.keys(aliases.parse((await absentAs({}, cluster, `/_alias/${alias}`)) ?? {}));
  if (name === undefined) return undefined;
  const found = await absentAs(undefined, cluster, `/${stateIndexOf(alias)}/_doc/${name}`);
  return found === undefined ? undefined : { name, ...state.parse(found)._source };
}

/** More parts than this make every search slower than they help. */
const mostShards = 32;
const health = z.object({ number_of_data_nodes: z.number() });

export async function countDataNodes(cluster: Cluster): Promise<number> {
  const response = await cluster.request({ method: "GET", path: "/_cluster/health" });
  return Math.min(mostShards, Math.max(1, health.parse(response).number_of_data_nodes));
}

/**
 * OpenSearch gives a copy up after so many failed attempts, by default five. An attempt fails after five seconds while the
 * former copy on that node is still used by a search whose coordinating node hung: that is up to six minutes.
 */
const allocation = { "allocation.max_retries": 100 };

export async function createIndex(
  cluster: Cluster,
  alias: string,
  version: number,
  {
    shards,
    settings,
    mappings,
  }: { readonly shards: number; readonly settings: object; readonly mappings: object },
): Promise<string> {
  const name = `${alias}-v${version}-${randomBytes(6).toString("hex")}`;
  const body = {
    mappings,
    // It is not searched while it is built.
    settings: { ...allocation, ...settings, number_of_shards: shards, refresh_interval: "-1" },
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
  const settings = { ...allocation, number_of_shards: 1, auto_expand_replicas: "0-1" };
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
  const former = Object.keys(aliases.parse((await absentAs({}, cluster, `/_alias/${alias}`)) ?? {}));
  await changeUnderLease(cluster, alias, leaseAlias, [
    { add: { index: name, alias } },
    ...former.filter((index) => index !== name).map((index) => ({ remove: { index, alias } })),
  ]);
}

/** Deletes the indexes of other builds, complete or not. */
export async function deleteOtherIndexes(
  cluster: Cluster,
  alias: string,
  leaseAlias: string,
  kept: string,
): Promise<void> {
  const found = aliases.parse((await absentAs({}, cluster, `/${alias}-v*/_alias`)) ?? {});
  // Not those of a service whose prefix begins with this alias.
  const isOurs = (name: string) => /^-v\d+-[0-9a-f]+$/.test(name.slice(alias.length));
  const others = Object.keys(found).filter((name) => name !== kept && isOurs(name));
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
