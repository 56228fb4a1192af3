import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/** The document for a row of the database; deleted if there is no `source`. */
export interface IndexEntry {
  readonly id: number;
  readonly source: object | undefined;
}

export interface VersionedEntry extends IndexEntry {
  /** The sequence of the change: an entry with a greater one is never overwritten. */
  readonly version: number;
}

const item = z.object({ status: z.number(), error: z.unknown().optional() });
const response = z.object({ items: z.array(z.record(z.string(), item)) });

const writeTimeoutMs = 60_000;
/** How long the first node may take: writing again through another node changes nothing. */
const firstAttemptMs = (entries: number) => 1_000 + 20 * entries;

/**
 * Writes entries. A newer entry stays, however late or often a writer writes. Entries that OpenSearch rejects are
 * reported.
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
    await cluster.request({
      method: "POST",
      path,
      lines,
      timeoutMs: writeTimeoutMs,
      firstAttemptMs: firstAttemptMs(entries.length),
    }),
  );
  for (const [i, one] of items.entries()) {
    const { status = 0, error } = Object.values(one)[0] ?? {};
    // 409: there is a newer one. 404: the deleted one was never there.
    if (status < 300 || status === 409 || (status === 404 && error === undefined)) continue;
    const reason = JSON.stringify(error).slice(0, 500);
    if (status !== 400) throw new ClusterError(status, reason);
    onRefused(entries[i]?.id ?? 0, reason);
  }
}
