import { createHash } from "node:crypto";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";
import { type IndexEntry, type VersionedEntry, writeEntries } from "./write-entries.ts";

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

export interface GroupTarget {
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

/** Writes the entries of rows and the documents of all groups that change with them. */
export async function writeWithGroups(
  target: GroupTarget,
  groups: GroupSource,
  entries: readonly VersionedEntry[],
): Promise<void> {
  const next = new Map(entries.map(({ id, group }) => [id, group]));
  const version = entries.reduce((last, entry) => Math.max(last, entry.version), 0);
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
