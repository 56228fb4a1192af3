import {
  describeOnOpenSearch,
  openTestIndex,
  testNodes,
} from "@product-search/opensearch/testing/opensearch.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { type DigestModel, describeWith } from "@product-search/testing/images/images.ts";
import { type LearnedModelFiles, loadVisionModel } from "@product-search/vision";
import { expect, it, onTestFinished, vi } from "vitest";
import { composeImages } from "../../src/compose/images/keep-images.ts";
import { composeVisionModels } from "../../src/compose/images/vision-models.ts";
import { openSearchCluster } from "../../src/compose/search/search-cluster.ts";
import type { SearchedVectors } from "../../src/compose/search/search-cluster-types.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

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
  const products = Array.from({ length: count }, (_, n) => fakeMug("catalog", n, { images: [addressOf(n)] }));
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
