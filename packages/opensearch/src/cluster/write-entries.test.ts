import { expect, test } from "vitest";
import type { Cluster, ClusterRequest } from "./cluster.ts";
import { ClusterError } from "./cluster-error.ts";
import { type VersionedEntry, writeEntries } from "./write-entries.ts";

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
