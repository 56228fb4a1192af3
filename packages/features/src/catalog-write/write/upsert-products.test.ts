import { expect, it } from "vitest";
import { upsertProducts } from "./upsert-products.ts";

const rows = Array.from({ length: 130 }, (_, at) => ({
  id: `${at}`,
  name: "Red lamp",
  price: 5,
  url: `https://shop.example/${at}`,
  storeName: "Lichthaus",
}));

/** A store whose disk is full after one transaction. */
function depsOf(fault: Error) {
  let transactions = 0;
  const apply = async (products: readonly unknown[]) => {
    transactions += 1;
    if (transactions > 1) throw fault;
    return products.map(() => "created" as const);
  };
  const unused = async () => Promise.reject(new Error("Only whole products are written."));
  return {
    catalogWrites: {
      apply,
      applyEach: async () => Promise.reject(fault),
      remove: unused,
      findByIds: unused,
      rowIdsOf: async () => new Map(),
      findGroup: unused,
      batchMs: 8,
    },
    writtenProducts: { note: async () => {} },
    storeCurrency: { record: async () => "USD" },
    clock: { now: () => 0 },
    currency: "USD",
  };
}

it("says what was stored when the disk is full in the middle of a request", async () => {
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  await expect(upsertProducts(depsOf(full), { products: rows })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(
      /no disk space left\. At least the first 50 of 130 valid rows are stored\./,
    ),
    headers: { "retry-after": "30" },
  });
});
