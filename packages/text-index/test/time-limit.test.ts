import { expect, it } from "vitest";
import {
  createIndexWriter,
  emptySnapshot,
  OutOfTimeError,
  openIndex,
  type SearchQuery,
  withinTime,
} from "../src/index.ts";
import { buildDocument } from "./build-document.ts";

const processorMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

it("ends in the middle of a pass over all matches with a hundred boosts", () => {
  const writer = createIndexWriter(emptySnapshot);
  const upserts = Array.from({ length: 30_000 }, (_, id) =>
    buildDocument(id, { fields: { name: `lamp ${id % 89}`, brand: `Brand ${id % 100}` } }),
  );
  const index = openIndex(writer.apply({ upserts, deletes: [] }, 1));
  const boosts = Array.from({ length: 100 }, (_, i) => ({
    filters: { brands: [`Brand ${i}`, `Brand ${(i * 7) % 100}`] },
    factor: 1 + i / 100,
  }));
  const query: SearchQuery = { text: "lamp", offset: 0, limit: 20, rules: { boosts } };
  const timed = () => {
    const startMs = processorMs();
    index.search(query);
    return processorMs() - startMs;
  };
  for (let warm = 0; warm < 5; warm++) timed();
  const wholeMs = Math.min(timed(), timed(), timed());
  expect(() => withinTime(wholeMs / 2, () => index.search(query))).toThrow(OutOfTimeError);
  // What was given up leaves nothing behind.
  expect(index.search(query).total).toBe(30_000);
});
