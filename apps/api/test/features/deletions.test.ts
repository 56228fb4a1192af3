import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import { removeProducts } from "@product-search/features/catalog-write/remove-products.ts";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from "vitest";
import { composeImport } from "../../src/compose/import.ts";
import { composeStores } from "../../src/compose/stores/stores.ts";
import { readConfig } from "../../src/config.ts";
import { nativeLine } from "../../testing/import-fixture.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const quiet = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
const id = (key: string) => productId("catalog", key);

describe("with SQLite", () => deletions(async () => ({})));

describeOnPostgres("with PostgreSQL", () =>
  deletions(async () => {
    const { url, drop } = await createTestDatabase();
    onTestFinished(drop);
    return { DATABASE_URL: url, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
  }),
);

/** `products delete` beside two feeds of one source, of which each lists "a", "b" and "c". */
function deletions(environment: () => Promise<Record<string, string>>): void {
  it("keeps a product deleted that feeds list which were fetched before, whichever ends first", async () => {
    const shop = await openShop(await environment());
    await shop.import(shop.feed(1));
    // The outer feed was fetched first and ends last.
    await shop.import(shop.feed(2), () => shop.import(shop.feed(3), () => shop.remove("a", "absent")));
    expect(await shop.prices()).toEqual({ b: 3, c: 3 });
    // The other order: the feed that was fetched first ends before the deletion, the second one after it.
    await shop.import(shop.feed(4), async () => {
      await shop.import(shop.feed(5));
      await shop.remove("b");
    });
    // The second feed has brought "a" back, because it was fetched after the deletion.
    expect(await shop.prices()).toEqual({ a: 5, c: 5 });
  });

  it("does not create a product that nobody had when it was deleted, unless a later feed has it", async () => {
    const shop = await openShop(await environment());
    await shop.import(shop.feed(1), () => shop.remove("c"));
    expect(await shop.prices()).toEqual({ a: 1, b: 1 });
    await shop.import(shop.feed(1));
    expect(await shop.prices()).toEqual({ a: 1, b: 1, c: 1 });
  });
}

async function openShop(environment: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), "deletions-"));
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent", ...environment });
  const stores = await composeStores(config);
  const deps = composeImport(config, stores);
  onTestFinished(async () => {
    await deps.close();
    await stores.close();
    rmSync(dataDir, { recursive: true });
  });
  return {
    feed(price: number): string {
      const path = join(dataDir, `feed-${price}.jsonl`);
      writeFileSync(path, ["a", "b", "c"].map((key) => nativeLine(key, { price })).join(""));
      return path;
    },
    /** `meanwhile` runs when the feed has been read, and none of its rows has been applied. */
    async import(feed: string, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
      const parts = stores.importParts(deps.importsFolder);
      const create: typeof parts.stagingArea.create = async (source) => {
        const file = await parts.stagingArea.create(source);
        const seal = async (signal: AbortSignal) => {
          await file.seal(signal);
          await setTimeout(5);
          await meanwhile();
        };
        return { ...file, seal };
      };
      const own = { ...deps, ...parts, stagingArea: { ...parts.stagingArea, create } };
      const options = { feed, source: "catalog", absent: "keep" } as const;
      await importFeed(own, options, quiet, new AbortController().signal);
      await setTimeout(5);
    },
    remove: (...keys: string[]) => removeProducts(stores, keys.map(id)),
    async prices(): Promise<Record<string, number>> {
      const products = await stores.catalogStore.scan(0, 10);
      return Object.fromEntries(products.map(({ key, priceMinor }) => [key, priceMinor / 100]));
    },
  };
}

describe("remove products", () => {
  let service: TestService;
  beforeEach(async () => {
    service = await createTestService();
    await service.stores.catalogStore.apply([1, 2, 3].map((n) => fakeMug("catalog", n)));
    await service.indexed();
  });
  afterEach(() => service.close());

  test("a removed product is not found by any operation", async () => {
    const [first, second] = await service.stores.catalogStore.scan(0, 2);
    const get = async (url: string) => {
      const headers = { authorization: `Bearer ${await service.token()}` };
      return service.app.inject({ url: `/api/v1${url}`, headers });
    };
    const search = async () =>
      (await get("/search/catalog?q=mug")).json().Products.map(({ _id }: { _id: string }) => _id);
    expect(await search()).toHaveLength(3);
    const id = first?.id ?? "";
    expect(await removeProducts(service.stores, [id, "absent", id])).toEqual([
      { id, outcome: "removed" },
      { id: "absent", outcome: "absent" },
    ]);
    await service.indexed();
    expect(await search()).not.toContain(id);
    expect((await get("/search/catalog?q=mug")).json().count).toBe(2);
    expect((await get(`/products/${id}`)).statusCode).toBe(404);
    expect((await get(`/products/${id}/price-history`)).statusCode).toBe(404);
    expect((await get(`/products/${second?.id}`)).statusCode).toBe(200);
  });
});
