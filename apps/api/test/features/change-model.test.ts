import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  describeOnOpenSearch,
  openTestIndex,
  testNodes,
} from "@product-search/opensearch/testing/opensearch.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { createTestDatabase, describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { type DigestModel, describeWith } from "@product-search/testing/images/images.ts";
import { type LearnedModelFiles, loadVisionModel } from "@product-search/vision";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createUsearchVectorSearch } from "../../src/adapters/vector-search/usearch.ts";
import { composeImages } from "../../src/compose/images/keep-images.ts";
import { composeVectorFileBuilder, type VectorSegments } from "../../src/compose/images/vector-file.ts";
import { composeVisionModels } from "../../src/compose/images/vision-models.ts";
import { openSearchCluster } from "../../src/compose/search/search-cluster.ts";
import type { SearchedVectors } from "../../src/compose/search/search-cluster-types.ts";
import { composeCatalogCopy } from "../../src/compose/stores/catalog-copy.ts";
import { composeStores } from "../../src/compose/stores/stores.ts";
import { readConfig } from "../../src/config.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

describe("change model", () => {
  const eventually = { timeout: 15_000, interval: 20 };
  const count = 12;
  const one = { model: "one", dimensions: 16 };
  const two = { model: "two", dimensions: 32 };

  const image = (n: number) => Buffer.from(`image ${n}`);
  const addressOf = (n: number) => `/images/${n}.jpg`;

  async function keep(service: TestService, models: [typeof one, ...(typeof one)[]], gate?: Promise<void>) {
    let latest: VectorSegments | undefined;
    let receive = (segments: VectorSegments) => {
      latest = segments;
    };
    const keeper = await composeImages(service.config, service.stores, {
      models,
      concurrency: 2,
      describe: async (bytes) => {
        await gate;
        return describeWith(models[0], bytes);
      },
      buildFile: composeVectorFileBuilder(service.config, service.stores),
      publishSearched: () => {},
      publish: (segments) => receive(segments),
      onProgress: () => {},
      onError: (error) => {
        throw error;
      },
    });
    const search = createUsearchVectorSearch({
      subscribe: (listener) => {
        receive = listener;
        if (latest) listener(latest);
      },
    });
    const first = async (model: typeof one, n: number) => {
      const { vector } = describeWith(model, image(n));
      const [hit] = await search.search({ vector, limit: 1, minSimilarity: 0.9 });
      return hit?.rowId;
    };
    return { keeper, search, first };
  }

  it("searches the former model's vectors until the new model has described all images, then only the new ones", async () => {
    const images = new Map(Array.from({ length: count }, (_, n) => [addressOf(n), image(n)] as const));
    const service = await createTestService({
      stores: () => ({ localImages: { read: async (address) => images.get(address) } }),
    });
    onTestFinished(() => service.close());
    const products = Array.from({ length: count }, (_, n) =>
      fakeMug("catalog", n, { images: [addressOf(n)] }),
    );
    await service.stores.catalogStore.apply(products);

    const before = await keep(service, [one]);
    await before.keeper.ready;
    expect(await before.first(one, 3)).toBe(4);
    await before.keeper.stop();
    await composeVectorFileBuilder(service.config, service.stores)(one);

    const opened = Promise.withResolvers<void>();
    const during = await keep(service, [two, one], opened.promise);
    expect(during.keeper.unusable).toBeUndefined();
    // No image is described by the new model yet, but images can be searched.
    await during.keeper.ready;
    expect(during.search.model()).toBe("one");
    expect(await during.first(one, 3)).toBe(4);

    opened.resolve();
    await vi.waitFor(() => expect(during.search.model()).toBe("two"), eventually);
    for (let n = 0; n < count; n++) expect(await during.first(two, n)).toBe(n + 1);
    await expect(during.first(one, 3)).rejects.toThrow("does not fit");
    const store = createSqliteProductImageStore({ ...service.stores.database, clock: service.clock });
    await vi.waitFor(async () => expect(await store.scan("one", 0, 10)).toEqual([]), eventually);
    expect(await store.scan("two", 0, 100)).toHaveLength(count);
    await during.keeper.stop();
  });

  it("starts again if the former model can no longer be loaded", async () => {
    const service = await createTestService({
      stores: () => ({ localImages: { read: async () => image(1) } }),
    });
    onTestFinished(() => service.close());
    await service.stores.catalogStore.apply([fakeMug("catalog", 1, { images: [addressOf(1)] })]);
    const before = await keep(service, [one]);
    await before.keeper.ready;
    await before.keeper.stop();
    await composeVectorFileBuilder(service.config, service.stores)(one);
    const after = await keep(service, [two]);
    expect(after.keeper.unusable).toMatch("another model");
    await after.keeper.ready;
    expect(await after.first(two, 1)).toBe(1);
    await after.keeper.stop();
  });
});

describe("change model on postgres", () => {
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
    const products = Array.from({ length: count }, (_, n) =>
      fakeMug("catalog", n, { images: [addressOf(n)] }),
    );
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
});

describe("change model on opensearch", () => {
  const eventually = { timeout: 30_000, interval: 20 };
  const count = 12;
  const one = { model: "one", dimensions: 16, encoder: "/models/one.onnx" };
  const two = { model: "two", dimensions: 32, encoder: "/models/two.onnx" };

  const image = (n: number) => Buffer.from(`image ${n}`);
  const addressOf = (n: number) => `/images/${n}.jpg`;

  async function createService() {
    const index = openTestIndex();
    const images = new Map(Array.from({ length: count }, (_, n) => [addressOf(n), image(n)] as const));
    const service = await createTestService({
      stores: () => ({ localImages: { read: async (address) => images.get(address) } }),
    });
    onTestFinished(async () => {
      await service.close();
      await index.close();
    });
    const products = Array.from({ length: count }, (_, n) =>
      fakeMug("catalog", n, { images: [addressOf(n)] }),
    );
    await service.stores.catalogStore.apply(products);
    return { ...service, config: { ...service.config, search: { nodes: testNodes, prefix: index.alias } } };
  }

  /** What a node does with the images of the catalog, and its searches. */
  async function startNode(
    service: TestService,
    models: [DigestModel, ...DigestModel[]],
    gate?: Promise<void>,
  ) {
    const cluster = await openSearchCluster(service.config);
    if (cluster === undefined) throw new Error("The test has no OpenSearch.");
    let latest: SearchedVectors | undefined;
    let receive = (searched: SearchedVectors) => {
      latest = searched;
    };
    const keeper = await composeImages(service.config, service.stores, {
      models,
      concurrency: 2,
      describe: async (bytes) => {
        await gate;
        return describeWith(models[0], bytes);
      },
      buildFile: () => Promise.reject(new Error("An embedded index is built.")),
      publish: () => {},
      publishSearched: (searched) => receive(searched),
      onProgress: () => {},
      onError: (error) => {
        throw error;
      },
    });
    const search = cluster.vectorSearch((listener) => {
      receive = listener;
      if (latest) listener(latest);
    });
    const first = async (model: DigestModel, n: number) => {
      const { vector } = describeWith(model, image(n));
      const [hit] = await search.search({ vector, limit: 1, minSimilarity: 0.9 });
      return hit?.rowId;
    };
    const stop = async () => {
      await keeper.stop();
      await cluster.close();
    };
    return { keeper, search, first, stop };
  }

  /** Which files are loaded by a node that starts with this one. */
  async function loadedEncoders({ config }: TestService, visionModel: string) {
    const loaded: (string | undefined)[] = [];
    const builtIn = await loadVisionModel({});
    const load = async ({ encoder }: LearnedModelFiles) => {
      loaded.push(encoder);
      const { model, dimensions } = encoder === one.encoder ? one : two;
      return { ...builtIn, id: model, dimensions };
    };
    const onError = (error: unknown) => {
      throw error;
    };
    const models = await composeVisionModels({ ...config, visionModel }, onError, load);
    return { loaded, models: models.map(({ model }) => model) };
  }

  describeOnOpenSearch("a change of the model, with vectors on OpenSearch", () => {
    it("searches the former model's vectors until the new model has described all images, then only the new ones", async () => {
      const service = await createService();
      const before = await startNode(service, [one]);
      await before.keeper.ready;
      await vi.waitFor(async () => expect(await before.first(one, 3)).toBe(4), eventually);
      await before.stop();

      expect(await loadedEncoders(service, two.encoder)).toEqual({
        loaded: [two.encoder, one.encoder],
        models: ["two", "one"],
      });
      const opened = Promise.withResolvers<void>();
      const during = await startNode(service, [two, one], opened.promise);
      // No image is described by the new model yet, but the service is ready and images can be searched.
      await during.keeper.ready;
      expect(during.search.model()).toBe("one");
      for (let n = 0; n < count; n++) expect(await during.first(one, n)).toBe(n + 1);

      opened.resolve();
      // No search fails while the index is replaced.
      for (let isSwitched = false; !isSwitched; ) {
        isSwitched = during.search.model() === "two";
        for (let n = 0; n < count; n++) {
          expect(await during.first(during.search.model() === "one" ? one : two, n)).toBe(n + 1);
        }
      }
      const store = createSqliteProductImageStore({ ...service.stores.database, clock: service.clock });
      await vi.waitFor(async () => expect(await store.scan("one", 0, 10)).toEqual([]), eventually);
      expect(await store.scan("two", 0, 100)).toHaveLength(count);
      await during.stop();
      expect(await loadedEncoders(service, two.encoder)).toEqual({ loaded: [two.encoder], models: ["two"] });
    });
  });
});
