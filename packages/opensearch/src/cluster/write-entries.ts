import { createHash } from "node:crypto";
import { z } from "zod";
import { type Cluster, ClusterError } from "./cluster.ts";

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

const writeTimeoutMs = 30_000;
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

// A group has a document of its own with all its members, so that groups are counted exactly. It is made again when a row joins
// it, leaves it or changes. Which group a row leaves is read from the index itself.
//
// A crash may interrupt the writing at any point, and the row may have another group when it is read again. Therefore a group
// lists a row only while the document of the row names that group: what a row leaves is written before the row, and what it
// joins after it. The document of the row then always tells which group has to be written again.

/** How groups are read from the database. */
export interface GroupSource {
  /** All rows of each group, by the key of the group. Only a few keys are given at once. */
  membersOf(keys: readonly string[]): Promise<ReadonlyMap<string, readonly IndexEntry[]>>;
}

interface GroupTarget {
  readonly cluster: Cluster;
  /** The alias under which entries are written. */
  readonly writer: string;
  readonly onRefused: (rowId: number, reason: string) => void;
}

/** The stored field of a row's document that names its group. */
export const groupField = "groupKey";
/** The field of a group's document that has its members. */
export const membersField = "members";

/** The document of a group is one request, and OpenSearch refuses requests of more than 100 MB. */
const maxBytes = 20_000_000;

const found = z.object({
  docs: z.array(
    z.object({
      _id: z.string(),
      fields: z.object({ [groupField]: z.tuple([z.string()]) }).optional(),
      error: z.looseObject({ type: z.string().optional() }).optional(),
    }),
  ),
});

/**
 * Writes the entries of rows and the documents of all groups that change with them. The version of the groups is the last
 * change of the database, not of the entries: after a failure fewer entries are written at once, and a group that was
 * written with more of them would keep what it had.
 */
export async function writeWithGroups(
  target: GroupTarget,
  groups: GroupSource,
  entries: readonly VersionedEntry[],
  version: number,
): Promise<void> {
  const next = new Map(entries.map(({ id, group }) => [id, group]));
  const former = await groupsIn(target, [...next.keys()]);
  const staying = (id: number) => (former.get(id) === next.get(id) ? next.get(id) : undefined);
  const left = [...former].filter(([id]) => staying(id) === undefined).map(([, key]) => key);
  const writing = { target, groups, version, rows: next };
  await writeGroups(writing, new Set(left), staying);
  await writeEntries(target.cluster, target.writer, entries, target.onRefused);
  const joined = [...next.values()].filter((key) => key !== undefined);
  await writeGroups(writing, new Set(joined), (id) => next.get(id));
}

interface Writing {
  readonly target: GroupTarget;
  readonly groups: GroupSource;
  readonly version: number;
  readonly rows: ReadonlyMap<number, string | undefined>;
}

/** Each is a query of the database. */
const groupsAtOnce = 8;

/** The groups that were read are written when they have so many members. */
const maxMembersInMemory = 5_000;

/** `groupOf` is for the rows that are written now; of the others, the index tells the groups. */
async function writeGroups(
  writing: Writing,
  keys: ReadonlySet<string>,
  groupOf: (id: number) => string | undefined,
): Promise<void> {
  const all = [...keys];
  let groups = new Map<string, readonly IndexEntry[]>();
  let members = 0;
  for (let from = 0; from < all.length; from += groupsAtOnce) {
    const some = all.slice(from, from + groupsAtOnce);
    const read = await writing.groups.membersOf(some);
    for (const key of some) {
      const entries = read.get(key) ?? [];
      groups.set(key, entries);
      members += entries.length;
    }
    if (members < maxMembersInMemory && from + groupsAtOnce < all.length) continue;
    await writeMembers(writing, groups, groupOf);
    groups = new Map();
    members = 0;
  }
}

async function writeMembers(
  { target, version, rows }: Writing,
  members: ReadonlyMap<string, readonly IndexEntry[]>,
  groupOf: (id: number) => string | undefined,
): Promise<void> {
  const others = [...members.values()].flat().filter(({ id }) => !rows.has(id));
  const written = await groupsIn(
    target,
    others.map(({ id }) => id),
  );
  const entries = Array.from(members, ([key, all]): VersionedEntry => {
    const own = all.filter(({ id }) => (rows.has(id) ? groupOf(id) : written.get(id)) === key);
    const [first] = own;
    const source = first && { [membersField]: firstMembers(own) };
    return { id: first?.id ?? 0, key: documentKey(key), version, source };
  });
  await writeEntries(target.cluster, target.writer, entries, target.onRefused);
}

/** As many as the bytes of a group's document allow. */
function firstMembers(entries: readonly IndexEntry[]): object[] {
  let bytes = 0;
  const fitting: object[] = [];
  for (const { member = {} } of entries) {
    bytes += Buffer.byteLength(JSON.stringify(member));
    if (bytes > maxBytes) break;
    fitting.push(member);
  }
  return fitting;
}

/** Keys of groups are longer than the identifiers that OpenSearch accepts. */
function documentKey(key: string): string {
  return `group ${createHash("sha256").update(key).digest("base64url")}`;
}

/** The groups that the documents of rows name, also those that searches do not see yet. */
async function groupsIn({ cluster, writer }: GroupTarget, rowIds: readonly number[]) {
  if (rowIds.length === 0) return new Map<number, string>();
  const { docs } = found.parse(
    await cluster.request({
      method: "POST",
      path: `/${writer}/_mget?_source=false&stored_fields=${groupField}`,
      body: { ids: rowIds.map(String) },
    }),
  );
  // Not the same as a document that is absent: a group would lose the row.
  const fault = docs.find(({ error }) => error !== undefined)?.error;
  if (fault !== undefined) {
    const status = fault.type === "index_not_found_exception" ? 404 : undefined;
    throw new ClusterError(status, `a document cannot be read: ${JSON.stringify(fault).slice(0, 500)}`);
  }
  return new Map(
    docs.flatMap(({ _id, fields }): [number, string][] =>
      fields === undefined ? [] : [[Number(_id), fields[groupField][0]]],
    ),
  );
}
