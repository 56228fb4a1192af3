import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { type DigestModel, describeWith } from "@product-search/testing/images/images.ts";
import { expect, it, onTestFinished, vi } from "vitest";
import { createUsearchVectorSearch } from "../../src/adapters/vector-search/usearch.ts";
import { composeImages } from "../../src/compose/images/keep-images.ts";
import { composeVectorFileBuilder, type VectorSegments } from "../../src/compose/images/vector-file.ts";
import { composeCatalogCopy } from "../../src/compose/stores/catalog-copy.ts";
import { composeStores } from "../../src/compose/stores/stores.ts";
import { readConfig } from "../../src/config.ts";

const eventually = { timeout: 30_000, interval: 50 };
/** Longer than nodes take to remove what is out of date. */
const aWhileMs = 3000;
const count = 12;
const one = { model: "one", dimensions: 16 };
const two = { model: "two", dimensions: 32 };

const image = (n: number) => Buffer.from(`image ${n}`);
const addressOf = (n: number) => `/images/${n}.jpg`;
const images = new Map(Array.from({ length: count }, (_, n) => [addressOf(n), image(n)] as const));

async function createCluster() {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  const openNode = async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "change-model-"));
    const config = readConfig({
      DATA_DIR: dataDir,
      DATABASE_URL: url,
      SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      LOG_LEVEL: "silent",
    });
    const stores = {
      ...(await composeStores(config)),
      localImages: { read: async (address: string) => images.get(address) },
    };
    const copying = await composeCatalogCopy(config, () => {});
    const running = new Set<{ stop(): Promise<void> }>();
    onTestFinished(async () => {
      for (const one of running) await one.stop();
      await copying.stop();
      await stores.close();
      rmSync(dataDir, { recursive: true });
    });
    const keep = async (models: [DigestModel, ...DigestModel[]]) => {
      let latest: VectorSegments | undefined;
      const keeper = await composeImages(config, stores, {
        models,
        concurrency: 2,
        describe: async (bytes) => describeWith(models[0], bytes),
        buildFile: composeVectorFileBuilder(config, stores),
        publishSearched: () => {},
        publish: (segments) => {
          latest = segments;
        },
        onProgress: () => {},
        onError: () => {},
      });
      running.add(keeper);
      keeper.ended.catch(() => {});
      const first = async (model: DigestModel, n: number) => {
        const search = createUsearchVectorSearch({ subscribe: (listener) => latest && listener(latest) });
        const { vector } = describeWith(model, image(n));
        return (await search.search({ vector, limit: 1, minSimilarity: 0.9 }))[0]?.rowId;
      };
      const stop = async () => {
        running.delete(keeper);
        await keeper.stop();
      };
      return { ...keeper, first, stop, searched: () => latest?.model };
    };
    return { config, stores, keep };
  };
  const first = await openNode();
  const products = Array.from({ length: count }, (_, n) => fakeMug("catalog", n, { images: [addressOf(n)] }));
  await first.stores.catalogStore.apply(products);
  return { first, openNode };
}

describeOnPostgres("a change of the model, with several nodes", () => {
  it("keeps the vectors of the model that is built, on nodes that search the former one too", async () => {
    const { first, openNode } = await createCluster();
    const second = await openNode();
    const building = await first.keep([two]);
    await building.ready;
    await second.keep([one]);
    await setTimeout(aWhileMs);
    const { written, searched } = second.stores.productImages();
    expect(await written.scan("two", 0, 100)).toHaveLength(count);
    expect(await searched.scan("two", 0, 100)).toHaveLength(count);
  });

  it("searches the former model while a node that has it describes the images", async () => {
    const { first, openNode } = await createCluster();
    const second = await openNode();
    const leading = await first.keep([one]);
    await leading.ready;
    const before = await second.keep([one]);
    await before.ready;
    await before.stop();
    await composeVectorFileBuilder(second.config, second.stores)(one);

    const restarted = await second.keep([two, one]);
    await restarted.ready;
    await setTimeout(aWhileMs);
    for (let n = 0; n < count; n++) expect(await restarted.first(one, n)).toBe(n + 1);

    await leading.stop();
    await vi.waitFor(() => expect(restarted.searched()).toBe("two"), eventually);
    for (let n = 0; n < count; n++) expect(await restarted.first(two, n)).toBe(n + 1);
  });
});
