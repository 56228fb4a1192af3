import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeSampleFeed } from "./sample-feed.ts";

it("writes the same products again with another word and other prices", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sample-feed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "feed.jsonl");
  const write = async (
    word: string,
    more: number,
  ): Promise<{ _id: string; price: number; description: string }[]> => {
    await writeSampleFeed({ path, products: 3, word, more });
    return readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  const first = await write("qbbbbb", 0);
  const again = await write("qcbbbb", 100);
  expect(again.map(({ _id }) => _id)).toEqual(first.map(({ _id }) => _id));
  expect(again.map(({ price }) => price)).toEqual(first.map(({ price }) => price + 1));
  expect(first.every(({ description }) => description.endsWith(" qbbbbb"))).toBe(true);
  expect(again.some(({ description }) => description.includes("qbbbbb"))).toBe(false);
});
