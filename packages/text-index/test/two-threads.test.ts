import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it, test } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  openIndex,
  type SearchResult,
  type Snapshot,
  type Steps,
} from "../src/index.ts";
import { buildDocument } from "./edited-index.ts";

const script = new URL("./search-thread.ts", import.meta.url);
const workers: Worker[] = [];
afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.terminate())));

async function ask(worker: Worker, message: { snapshot?: Snapshot; text: string }): Promise<SearchResult> {
  worker.postMessage(message);
  const [result] = await once(worker, "message");
  return result;
}

describe("two threads", () => {
  it("search one copy of the data and see later snapshots", async () => {
    const writer = createIndexWriter(emptySnapshot);
    const documents = Array.from({ length: 500 }, (_, id) => buildDocument(id, `oak lamp ${id % 7}`));
    const snapshot = writer.apply({ upserts: documents, deletes: [] }, 1);
    workers.push(new Worker(script), new Worker(script));
    const here = openIndex(snapshot).search({ text: "lamp 3", offset: 0, limit: 5 });
    const there = await Promise.all(workers.map((worker) => ask(worker, { snapshot, text: "lamp 3" })));
    expect(there).toEqual([here, here]);

    const later = writer.apply({ upserts: [buildDocument(7, "brass kettle")], deletes: [3] }, 2);
    for (const worker of workers) {
      expect((await ask(worker, { text: "kettle" })).total).toBe(0);
      expect((await ask(worker, { snapshot: later, text: "kettle" })).rowIds).toEqual([7]);
      expect((await ask(worker, { text: "lamp" })).total).toBe(498);
    }
  });

  it("share the memory: what one writes into it, the other reads", async () => {
    const writer = createIndexWriter(emptySnapshot);
    const snapshot = writer.apply({ upserts: [buildDocument(42, "lamp")], deletes: [] }, 1);
    const worker = new Worker(script);
    workers.push(worker);
    expect((await ask(worker, { snapshot, text: "lamp" })).rowIds).toEqual([42]);
    const [segment] = snapshot.segments;
    const bytes = new Uint32Array(segment?.buffer ?? new SharedArrayBuffer(0));
    bytes[bytes.indexOf(42)] = 43;
    expect((await ask(worker, { text: "lamp" })).rowIds).toEqual([43]);
  });
});

const lamps = (from: number, count: number, name: string) =>
  Array.from({ length: count }, (_, i) => buildDocument(from + i, name));

test("between the steps of a batch, searches see its documents either all as before or all as after", () => {
  const writer = createIndexWriter(emptySnapshot);
  writer.apply({ upserts: lamps(0, 600, "old lamp"), deletes: [] }, 1);
  const found = () => {
    const index = openIndex(writer.snapshot);
    const total = (text: string) => index.search({ text, everyWord: true, offset: 0, limit: 1 }).total;
    return { old: total("old"), new: total("new") };
  };
  const seenDuring = (steps: Steps<unknown>) => {
    const seen = [];
    while (!steps.next().done) seen.push(found());
    return seen;
  };
  const changes = { upserts: lamps(100, 600, "new lamp"), deletes: [1, 2, 3] };

  const adding = seenDuring(writer.add(changes, 2));
  expect(adding.length).toBeGreaterThan(3);
  expect(new Set(adding.map((seen) => JSON.stringify(seen)))).toEqual(new Set(['{"old":600,"new":0}']));
  expect(found()).toEqual({ old: 97, new: 600 });
  expect(writer.snapshot.segments).toHaveLength(2);

  const joining = seenDuring(writer.join());
  expect(joining.length).toBeGreaterThan(3);
  expect(new Set(joining.map((seen) => JSON.stringify(seen)))).toEqual(new Set(['{"old":97,"new":600}']));
  expect(found()).toEqual({ old: 97, new: 600 });
  expect(writer.snapshot.segments).toHaveLength(1);
});
