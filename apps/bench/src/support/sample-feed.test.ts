import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeSampleFeed } from "./sample-feed.ts";

async function written(change?: Parameters<typeof writeSampleFeed>[2]): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), "sample-feed-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "feed.jsonl");
  await writeSampleFeed(path, 200, change);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}

it("writes images and original prices, and the same feed again", async () => {
  const rows = await written();
  expect(rows).toHaveLength(200);
  expect(rows[0]).toMatchObject({ _id: "S0000000", price: 71, images: ["/images/sample/0-1.jpg"] });
  expect(rows.some((row) => Object.hasOwn(Object(row), "originalPrice"))).toBe(true);
  expect(await written()).toEqual(rows);
});

it("writes the same products with changes", async () => {
  const rows = await written(({ originalPriceMinor: _, ...product }) => ({
    ...product,
    priceMinor: product.priceMinor + 1,
    description: `${product.description} qbbbbb`,
    images: [],
  }));
  expect(rows[0]).toMatchObject({
    _id: "S0000000",
    price: 71.01,
    images: [],
    description: expect.stringMatching(/ qbbbbb$/),
  });
  expect(rows.some((row) => Object.hasOwn(Object(row), "originalPrice"))).toBe(false);
});
