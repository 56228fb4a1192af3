import { expect, test } from "vitest";
import { type Cluster, ClusterError, type ClusterRequest } from "./cluster.ts";
import {
  type IndexEntry,
  membersField,
  type VersionedEntry,
  writeEntries,
  writeWithGroups,
} from "./write-entries.ts";

type Item = { status: number; error?: { type: string; reason?: string } };

/** Gives each entry of a request the item for its id. */
function createBulk(itemOf: (id: number) => Item) {
  const requests: ClusterRequest[] = [];
  const request: Cluster["request"] = async (sent) => {
    requests.push(sent);
    const targets = (sent.lines ?? []).map((line) => JSON.parse(line)).filter(({ index }) => index);
    return { items: targets.map(({ index }) => ({ index: itemOf(Number(index._id)) })) };
  };
  const cluster = { request } as Partial<Cluster> as Cluster;
  return { cluster, requests };
}

const entry = (id: number, text = ""): VersionedEntry => ({ id, version: 1, source: { text } });
const created: Item = { status: 201 };

test("divides entries by their bytes", async () => {
  const { cluster, requests } = createBulk(() => created);
  const entries = [entry(1, "ä".repeat(300)), entry(2), entry(3), entry(4, "x".repeat(2_000)), entry(5)];
  await writeEntries(cluster, "writer", entries, () => {}, 900);
  const ids = requests.map(({ lines = [] }) =>
    lines.flatMap((line) => JSON.parse(line).index?._id ?? []).map(Number),
  );
  expect(ids).toEqual([[1, 2, 3], [4], [5]]);
});

test("reports a document that OpenSearch cannot read, and writes the others", async () => {
  const { cluster } = createBulk((id) =>
    id === 2 ? { status: 400, error: { type: "mapper_parsing_exception", reason: "no number" } } : created,
  );
  const refused: Array<[number, string]> = [];
  await writeEntries(cluster, "writer", [entry(1), entry(2), entry(3)], (...one) => refused.push(one));
  expect(refused).toEqual([[2, expect.stringContaining("no number")]]);
});

test("fails when the index refuses the document for another reason, so that it is written later", async () => {
  const { cluster } = createBulk(() => ({ status: 400, error: { type: "index_closed_exception" } }));
  const written = writeEntries(cluster, "writer", [entry(1)], () => {});
  await expect(written).rejects.toEqual(new ClusterError(400, '{"type":"index_closed_exception"}'));
});

const key = "catalog MUG";
const mug = (id: number, text = ""): IndexEntry => ({ id, group: key, source: {}, member: { id, text } });

/** An index whose documents of rows are those that `documentOf` returns. */
function createIndex(documentOf: (id: string) => object) {
  const written: Array<Record<string, unknown>> = [];
  const request: Cluster["request"] = async ({ path, body, lines = [] }) => {
    if (path.includes("_mget")) {
      const { ids } = body as { ids: string[] };
      return { docs: ids.map((_id) => ({ _id, ...documentOf(_id) })) };
    }
    const sent: Array<Record<string, unknown>> = lines.map((line) => JSON.parse(line));
    written.push(...sent.filter((line) => membersField in line));
    return { items: sent.filter((line) => "index" in line).map(() => ({ index: { status: 200 } })) };
  };
  const cluster = { request } as Partial<Cluster> as Cluster;
  return { written, target: { cluster, writer: "writer", onRefused: () => {} } };
}

const inGroup = { fields: { groupKey: [key] } };

function write(target: Parameters<typeof writeWithGroups>[0], members: readonly IndexEntry[]) {
  const groups = { membersOf: async () => new Map([[key, members]]) };
  return writeWithGroups(
    target,
    groups,
    members.slice(0, 1).map((entry) => ({ ...entry, version: 1 })),
    1,
  );
}

test.each([
  ["no_shard_available_action_exception", false],
  // The alias of the writer was deleted: the keeper opens the index again.
  ["index_not_found_exception", true],
])("writes no group when a document cannot be read: %s", async (type, isMissing) => {
  const { target, written } = createIndex((id) => (id === "2" ? { error: { type } } : inGroup));
  await expect(write(target, [mug(1), mug(2)])).rejects.toMatchObject({ name: "ClusterError", isMissing });
  expect(written).toEqual([]);
});

test("has a group's first members, as many as fit in a request", async () => {
  const { target, written } = createIndex(() => inGroup);
  // Each has six million bytes.
  await write(
    target,
    [1, 2, 3, 4, 5].map((id) => mug(id, "ä".repeat(3_000_000))),
  );
  expect(written.map(({ members }) => (members as Array<{ id: number }>).map(({ id }) => id))).toEqual([
    [1, 2, 3],
  ]);
});

test("writes all groups, and keeps the members of a few in memory", async () => {
  const groups = Array.from({ length: 20 }, (_, at) => `catalog ${at}`);
  const rows = groups.flatMap((group, at) =>
    Array.from({ length: 1000 }, (_, id): IndexEntry => ({ ...mug(at * 1000 + id), group })),
  );
  const { target, written } = createIndex((id) => ({
    fields: { groupKey: [groups[Math.floor(Number(id) / 1000)]] },
  }));
  const writtenBefore: number[] = [];
  const membersOf = async (keys: readonly string[]) => {
    writtenBefore.push(written.length);
    return new Map(keys.map((one) => [one, rows.filter(({ group }) => group === one)]));
  };
  const changed = rows.filter(({ id }) => id % 1000 === 0).map((entry) => ({ ...entry, version: 1 }));
  await writeWithGroups(target, { membersOf }, changed, 1);
  expect(writtenBefore).toEqual([0, 8, 16]);
  const ids = written.flatMap(({ members }) => (members as Array<{ id: number }>).map(({ id }) => id));
  expect(ids).toEqual(rows.map(({ id }) => id));
});
