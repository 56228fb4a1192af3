import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { describeWith } from "@product-search/testing/images/images.ts";
import { expect, it, onTestFinished, vi } from "vitest";
import { createUsearchVectorSearch } from "../../src/adapters/vector-search/usearch.ts";
import { composeImages } from "../../src/compose/images/keep-images.ts";
import { composeVectorFileBuilder, type VectorSegments } from "../../src/compose/images/vector-file.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

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
  const products = Array.from({ length: count }, (_, n) => fakeMug("catalog", n, { images: [addressOf(n)] }));
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
