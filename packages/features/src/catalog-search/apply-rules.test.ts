import { productId } from "@product-search/core/domain/identity.ts";
import { firstProduct } from "@product-search/core/domain/next-product.ts";
import { productSources, type StoredProduct } from "@product-search/core/domain/product.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { createRandom, testSeed } from "@product-search/testing/seed.ts";
import { expect, it } from "vitest";
import { findProductRows, NamedRows, type NamedRowsStore } from "./apply-rules.ts";

const keys = Array.from({ length: 8 }, (_, at) => `key-${at}`);
const places = productSources.flatMap((source) => keys.map((key) => ({ source, key })));
const [first = { source: "catalog", key: "" } as const, ...others] = places;
const names = [...keys, ...places.map(({ source, key }) => productId(source, key)), "unknown"];

/** Products that are created, changed and deleted; a new one may get the row of one that was deleted. */
function createCatalog() {
  const products = new Map<string, StoredProduct>();
  let changes: { sequence: number; rowId: number }[] = [];
  let sequence = 0;
  const note = (rowId: number) => {
    sequence += 1;
    changes = [...changes.filter((change) => change.rowId !== rowId), { sequence, rowId }];
  };
  const freeRow = () => {
    const taken = new Set([...products.values()].map(({ rowId }) => rowId));
    return Array.from({ length: 100 }, (_, at) => at + 1).find((rowId) => !taken.has(rowId)) ?? 0;
  };
  const store: NamedRowsStore = {
    lastSequence: async () => sequence,
    changesAfter: async (after, limit) => changes.filter((one) => one.sequence > after).slice(0, limit),
    findByRowIds: async (rowIds) => [...products.values()].filter(({ rowId }) => rowIds.includes(rowId)),
    rowIdsOf: async (ids) =>
      new Map(
        ids.flatMap((id) =>
          [...products.values()].filter((one) => one.id === id).map((one) => [id, one.rowId]),
        ),
      ),
  };
  return {
    store,
    write({ source, key }: (typeof places)[number]) {
      const id = productId(source, key);
      const rowId = products.get(id)?.rowId ?? freeRow();
      products.set(id, { ...firstProduct(productInput(key, { source }), 0, id).product, rowId });
      note(rowId);
    },
    remove({ source, key }: (typeof places)[number]) {
      const id = productId(source, key);
      const rowId = products.get(id)?.rowId;
      if (products.delete(id) && rowId !== undefined) note(rowId);
    },
  };
}

it("names mean the same rows as when all are looked up, after each of a random history of writes", async () => {
  const random = createRandom(testSeed("named rows"));
  const { store, write, remove } = createCatalog();
  const rows = new NamedRows(store);
  let previous = await rows.rowsOf(names);
  let { revision } = rows;
  for (let step = 0; step < 300; step++) {
    for (let writes = random.integer(1, 4); writes > 0; writes--) {
      if (random.chance(0.6)) write(random.pick([first, ...others]));
      else remove(random.pick([first, ...others]));
    }
    const some = names.filter(() => random.chance(0.5));
    const all = await findProductRows(store, some);
    const expected = new Map([...all].map(([name, { rowId }]) => [name, rowId]));
    await rows.rowsOf([]);
    const isSame = rows.revision === revision;
    if (isSame) expect(expected).toEqual(new Map([...previous].filter(([name]) => some.includes(name))));
    expect(await rows.rowsOf(some)).toEqual(expected);
    previous = await rows.rowsOf(names);
    revision = rows.revision;
  }
});

it("after a change of products that keep their names, nothing is looked up", async () => {
  const { store, write } = createCatalog();
  const ofCatalog = places.filter(({ source }) => source === "catalog");
  for (const place of ofCatalog) write(place);
  let lookups = 0;
  const rows = new NamedRows({
    ...store,
    rowIdsOf(ids) {
      lookups += ids.length;
      return store.rowIdsOf(ids);
    },
  });
  const before = await rows.rowsOf(names);
  const { revision } = rows;
  lookups = 0;
  for (const place of ofCatalog) write(place);
  expect(await rows.rowsOf(names)).toEqual(before);
  expect({ lookups, revision: rows.revision }).toEqual({ lookups: 0, revision });
});
