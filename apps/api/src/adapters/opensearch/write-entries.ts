import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/** What an index is to hold of a row of the store; nothing when there is no `source`. */
export interface IndexEntry {
  readonly id: number;
  readonly source: object | undefined;
}

export interface VersionedEntry extends IndexEntry {
  /** The number of the change: an entry with a greater one is never overwritten. */
  readonly version: number;
}

const item = z.object({ status: z.number(), error: z.unknown().optional() });
const response = z.object({ items: z.array(z.record(z.string(), item)) });

const writeTimeoutMs = 60_000;

/**
 * Writes entries. A newer one that is there already stays: however late a writer is, and however often it repeats
 * itself. Those that OpenSearch will never take are reported.
 */
export async function writeEntries(
  cluster: Cluster,
  index: string,
  entries: readonly VersionedEntry[],
  onRefused: (id: number, reason: string) => void,
): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.flatMap(({ id, version, source }) => {
    const target = { _id: String(id), version, version_type: "external" };
    return source === undefined ? [{ delete: target }] : [{ index: target }, source];
  });
  const path = `/${index}/_bulk?require_alias=true`;
  const { items } = response.parse(
    await cluster.request({ method: "POST", path, lines, timeoutMs: writeTimeoutMs }),
  );
  for (const [i, one] of items.entries()) {
    const { status = 0, error } = Object.values(one)[0] ?? {};
    // 409: something newer is there. 404: what is deleted was never there.
    if (status < 300 || status === 409 || (status === 404 && error === undefined)) continue;
    const reason = JSON.stringify(error).slice(0, 500);
    if (status !== 400) throw new ClusterError(status, reason);
    onRefused(entries[i]?.id ?? 0, reason);
  }
}
