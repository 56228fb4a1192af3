import { expect, test } from "vitest";
import { createIndexWriter, emptySnapshot, openIndex, type Steps } from "../src/index.ts";
import { buildDocument } from "./build-document.ts";

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
