import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

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

/** Writes through a writer alias fail if its index was deleted, instead of creating a new one. */
export const writerOf = (name: string) => `${name}-writer`;
const stateIndexOf = (alias: string) => `${alias}-state`;

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
    aliases: { [writerOf(name)]: {} },
  };
  await cluster.request({ method: "PUT", path: `/${name}`, body, timeoutMs: 60_000, retry: false });
  return name;
}

/** Records the progress of an index. A record with more progress stays. */
export async function saveState(
  cluster: Cluster,
  alias: string,
  { name, ...body }: BuiltIndex,
): Promise<void> {
  const path = `/${stateIndexOf(alias)}/_doc/${name}?version_type=external_gte&version=${body.sequence}`;
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

/** Switches searches atomically from the former index to this one. */
export async function putUnderAlias(
  cluster: Cluster,
  alias: string,
  name: string,
  refreshInterval: string,
): Promise<void> {
  await cluster.request({
    method: "PUT",
    path: `/${name}/_settings`,
    body: { index: { refresh_interval: refreshInterval } },
  });
  await cluster.request({ method: "POST", path: `/${name}/_refresh`, timeoutMs: 120_000 });
  const former = Object.keys(aliases.parse((await absentAs({}, cluster, `/_alias/${alias}`)) ?? {}));
  const actions = [
    { add: { index: name, alias } },
    ...former.filter((index) => index !== name).map((index) => ({ remove: { index, alias } })),
  ];
  await cluster.request({ method: "POST", path: "/_aliases", body: { actions } });
}

/** Deletes the indexes of other builds, complete or not. */
export async function deleteOtherIndexes(
  cluster: Cluster,
  alias: string,
  keep: readonly string[],
): Promise<void> {
  const found = aliases.parse((await absentAs({}, cluster, `/${alias}-v*/_alias`)) ?? {});
  for (const name of Object.keys(found)) {
    if (keep.includes(name)) continue;
    await absentAs(undefined, cluster, `/${name}`, "DELETE");
    await absentAs(undefined, cluster, `/${stateIndexOf(alias)}/_doc/${name}`, "DELETE");
  }
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
