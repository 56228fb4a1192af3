import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { maxFacetAttributes } from "@product-search/core/domain/attributes.ts";
import { productSources } from "@product-search/core/domain/fields.ts";
import { firstProduct } from "@product-search/core/domain/next-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { english, openIndex, type Snapshot, snapshotOf } from "@product-search/text-index";
import { expect, it, onTestFinished, vi } from "vitest";
import { buildIndex, buildPart } from "./build-index.ts";
import { followCatalog } from "./follow-catalog.ts";

const fail = (error: unknown) => {
  throw error;
};

type Attributes = NonNullable<StoredProduct["attributes"]>;

/** Each row was last changed with the sequence of its place. */
function catalogOf(products: StoredProduct[]) {
  return {
    lastSequence: async () => products.length,
    changesAfter: async (sequence: number, limit: number) =>
      products
        .slice(sequence, sequence + limit)
        .map(({ rowId }, i) => ({ rowId, sequence: sequence + i + 1 })),
    findByRowIds: async (rowIds: readonly number[]) => rowIds.flatMap((rowId) => products[rowId - 1] ?? []),
    scan: async (after: number, limit: number) => products.slice(after, after + limit),
    countBySource: async () => ({ ...recordOf(productSources, () => 0), catalog: products.length }),
  };
}

const product = (number: number, attributes: Attributes): StoredProduct => ({
  ...firstProduct(fakeMug("catalog", number, { attributes }), 0).product,
  rowId: number,
});

/** A word of letters alone. */
const wordOf = (start: string, number: number) =>
  start + [...String(number)].map((digit) => "bcdfghklmz"[Number(digit)]).join("");

/** Each product has two attributes of its own and, from a number on, one that others have, too. */
const productsWithOwnNames = (count: number, commonFrom: number) =>
  Array.from({ length: count }, (_, i) =>
    product(i + 1, {
      [`own ${i} a`]: [wordOf("first", i)],
      [`own ${i} b`]: [wordOf("second", i)],
      ...(i >= commonFrom && { finish: ["glazed"] }),
    }),
  );

function search(snapshot: Snapshot, text: string, name?: string, value = "glazed") {
  return openIndex(snapshot).search({
    text,
    offset: 0,
    limit: 1,
    filters: name === undefined ? {} : { attributes: [{ name, values: [value] }] },
    facets: { names: [], maxValues: 10, attributes: { frequent: 1000, names: [] } },
  });
}

it.each([undefined, 100])("an index has the attributes of most products as facets (%s)", async (partRows) => {
  const log = catalogOf(productsWithOwnNames(700, 400));
  const elsewhere = {
    build: (rows: Parameters<typeof buildPart>[2]) => buildPart(log, [english], rows),
    onError: fail,
  };
  const { segment } = await buildIndex(
    log,
    [english],
    partRows === undefined ? undefined : elsewhere,
    partRows,
  );
  if (segment === undefined) throw new Error("The index is empty.");
  const snapshot = snapshotOf(segment, 1);
  const { facets } = search(snapshot, "mug");
  expect(facets.attributes).toHaveLength(maxFacetAttributes);
  expect(facets.attributes[0]).toMatchObject({
    name: "finish",
    values: [{ value: "glazed", count: 300 }],
  });
  expect(search(snapshot, "mug", "finish").total).toBe(300);
  // The values of the others are searched, and no filter.
  expect(search(snapshot, wordOf("second", 650)).total).toBe(1);
  expect(search(snapshot, "mug", "own 650 b", wordOf("second", 650)).total).toBe(0);
});

it("a name that comes late becomes a facet when it has more products than others", async () => {
  const folder = await mkdtemp(join(tmpdir(), "facet-attributes-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const products = productsWithOwnNames(300, 300);
  const snapshots: Snapshot[] = [];
  const newest = () => snapshots.at(-1) ?? { sequence: 0, segments: [] };
  const follower = await followCatalog({
    log: catalogOf(products),
    folder,
    publish: (snapshot) => snapshots.push(snapshot),
    onSaveError: fail,
    pollMs: 5,
    saveAfterIdleMs: 5,
  });
  onTestFinished(() => follower.stop());
  expect(search(newest(), "mug").facets.attributes).toHaveLength(maxFacetAttributes);
  products.push(...productsWithOwnNames(310, 300).slice(300));
  await vi.waitFor(() => expect(search(newest(), "mug", "finish").total).toBe(10), { timeout: 60_000 });
  expect(search(newest(), "mug").facets.attributes).toHaveLength(maxFacetAttributes);
  const { total } = search(newest(), wordOf("second", 309));
  expect(total).toBe(1);
});
