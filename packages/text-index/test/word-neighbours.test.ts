import { expect, test } from "vitest";
import { WordNeighbours } from "../src/search/word-neighbours.ts";
import { createSegmentBuilder } from "../src/segment/build/segment-builder.ts";
import { openSegment } from "../src/segment/segment.ts";
import { buildDocument } from "./build-document.ts";

function neighboursOf(names: readonly string[]): WordNeighbours {
  const builder = createSegmentBuilder();
  names.forEach((name, id) => {
    builder.add(buildDocument(id, name));
  });
  return new WordNeighbours(openSegment(builder.build()));
}

const names = [
  ...Array.from({ length: 40 }, () => "vacuum cleaner"),
  "vaccum",
  "vacuums",
  "vaccume",
  "cleanor",
];

test("words are found by their distance, shortest first, then in alphabetical order", () => {
  const found = neighboursOf(names).find("vaccuum", 1);
  expect(found).toEqual([
    { word: "vaccum", distance: 1 },
    { word: "vacuum", distance: 1 },
  ]);
});

test("a search for frequent words does not look at rare ones, and finds every frequent one", () => {
  const neighbours = neighboursOf(names);
  expect(neighbours.find("vaccuum", 1, 40)).toEqual([{ word: "vacuum", distance: 1 }]);
  expect(neighbours.find("cleanor", 1, 40)).toEqual([{ word: "cleaner", distance: 1 }]);
  expect(neighbours.find("cleanor", 1)).toHaveLength(2);
});
