import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";

/** The document for a row of the database; deleted if there is no `source`. */
export interface IndexEntry {
  readonly id: number;
  readonly source: object | undefined;
  /** The key of the group of rows that it belongs to. */
  readonly group?: string | undefined;
  /** What the document of the group has of it. */
  readonly member?: object;
}

export interface VersionedEntry extends IndexEntry {
  /** The sequence of the change: an entry with a greater one is never overwritten. */
  readonly version: number;
  /** The identifier of the document. Default: that of the row. */
  readonly key?: string;
}

const reason = z.looseObject({ type: z.string().optional() });
const item = z.object({ status: z.number(), error: reason.optional() });
const response = z.object({ items: z.array(z.record(z.string(), item)) });

const writeTimeoutMs = 60_000;
/** OpenSearch refuses requests that need more than a part of its memory. */
const usualMaxBytes = 5_000_000;
/** What is wrong with one document, and not with the index or the cluster. */
const documentFaults: ReadonlySet<string | undefined> = new Set([
  "mapper_parsing_exception",
  "illegal_argument_exception",
]);
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
  maxBytes = usualMaxBytes,
): Promise<void> {
  const path = `/${index}/_bulk?require_alias=true`;
  for (const { ids, lines } of inParts(entries, maxBytes)) {
    const timeouts = { timeoutMs: writeTimeoutMs, firstAttemptMs: firstAttemptMs(ids.length) };
    const { items } = response.parse(await cluster.request({ method: "POST", path, lines, ...timeouts }));
    for (const [i, one] of items.entries()) {
      const { status = 0, error } = Object.values(one)[0] ?? {};
      // 409: there is a newer one. 404: the deleted one was never there.
      if (status < 300 || status === 409 || (status === 404 && error === undefined)) continue;
      const told = JSON.stringify(error).slice(0, 500);
      if (status !== 400 || !documentFaults.has(error?.type)) throw new ClusterError(status, told);
      onRefused(ids[i] ?? 0, told);
    }
  }
}

interface BulkPart {
  readonly ids: number[];
  readonly lines: string[];
}

/** A part has at least one entry, and otherwise not more than the bytes. */
function inParts(entries: readonly VersionedEntry[], maxBytes: number): BulkPart[] {
  const parts: BulkPart[] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const lines = toLines(entry);
    const added = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
    if (bytes + added > maxBytes) {
      parts.push({ ids: [], lines: [] });
      bytes = 0;
    }
    const part = parts.at(-1);
    part?.ids.push(entry.id);
    part?.lines.push(...lines);
    bytes += added;
  }
  return parts;
}

/** An entry that is written again with its version was read again, and later: it replaces the first one. */
function toLines({ id, key = String(id), version, source }: VersionedEntry): string[] {
  const target = { _id: key, version, version_type: "external_gte" };
  const lines = source === undefined ? [{ delete: target }] : [{ index: target }, source];
  return lines.map((line) => JSON.stringify(line));
}
