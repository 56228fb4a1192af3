import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { followImages } from "@product-search/features/image-search/product-images/follow-images.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { describeWith } from "@product-search/testing/images/images.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTestService } from "../../testing/test-service.ts";

const model = { model: "one", dimensions: 16 };

test("reads little when nothing changes, and describes the images of a change at once", async () => {
  const service = await createTestService({
    stores: () => ({ localImages: { read: async (address) => Buffer.from(address) } }),
  });
  onTestFinished(() => service.close());
  const store = createSqliteProductImageStore({ ...service.stores.database, clock: service.clock });
  const due = vi.fn(store.due);
  const notedSequence = vi.fn(store.notedSequence);
  const followed = followImages(
    {
      ...service.stores,
      productImageStore: { ...store, due, notedSequence },
      outboundHttp: { send: () => Promise.reject(new Error("not used")) },
      visionModel: { describe: async (bytes) => describeWith(model, bytes) },
    },
    {
      model: model.model,
      concurrency: 2,
      pollMs: 5,
      lookEveryMs: 3_600_000,
      onProgress: () => {},
    },
  );
  onTestFinished(() => followed.stop());
  await followed.ready;
  due.mockClear();
  notedSequence.mockClear();
  await setTimeout(100);
  expect(due).not.toHaveBeenCalled();
  expect(notedSequence).not.toHaveBeenCalled();
  const images = Array.from({ length: 5 }, (_, n) => `/images/${n}.jpg`);
  await service.stores.catalogStore.apply([fakeMug("catalog", 1, { images })]);
  await vi.waitFor(async () => expect(await store.progress()).toMatchObject({ described: 5, waiting: 0 }), {
    timeout: 60_000,
  });
});

const slowNames = (count: number) => Array.from({ length: count }, (_, at) => `slow.${at}.example`);

test.each([
  ["a slow host does not delay", ["slow.example"], 10, 3],
  // Each has three at first; then all of them together have three.
  ["slow hosts do not delay", slowNames(20), 10, 20 * 3],
  // At first they have all seven places; then the network has three.
  ["a slow network with a new name for each image does not delay", slowNames(200), 1, 7 + 3, "192.0.2.1"],
])("%s the images of others", async (_, slowHosts, imagesOfEach, most, slowNetwork?: string) => {
  const service = await createTestService({ stores: () => ({}) });
  onTestFinished(() => service.close());
  const store = createSqliteProductImageStore({ ...service.stores.database, clock: service.clock });
  const addresses: string[] = [];
  const followed = followImages(
    {
      ...service.stores,
      productImageStore: store,
      outboundHttp: {
        send: async ({ url, onNetwork }, signal) => {
          const isSlow = slowHosts.includes(new URL(url).host);
          if (slowNetwork !== undefined) onNetwork?.(isSlow ? slowNetwork : "198.51.100.1");
          addresses.push(url);
          return isSlow
            ? new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
            : {
                status: 200,
                headers: {},
                url,
                body: Readable.from([]),
                bytes: async () => Buffer.from(url),
                discard() {},
              };
        },
      },
      visionModel: { describe: async (bytes) => describeWith(model, bytes) },
    },
    { model: model.model, concurrency: 3, pollMs: 5, lookEveryMs: 10, slowAfterMs: 30, onProgress: () => {} },
  );
  onTestFinished(() => followed.stop());
  const imagesOf = (host: string, count: number) =>
    Array.from({ length: count }, (_, n) => `https://${host}/${n}.jpg`);
  await service.stores.catalogStore.apply([
    ...slowHosts.map((host, at) => fakeMug("catalog", at + 2, { images: imagesOf(host, imagesOfEach) })),
    fakeMug("catalog", 1, { images: imagesOf("slow.example.com", 5) }),
  ]);
  await vi.waitFor(async () => expect(await store.progress()).toMatchObject({ described: 5 }), {
    timeout: 60_000,
  });
  const slow = addresses.filter((address) => slowHosts.includes(new URL(address).host));
  expect(slow.length).toBeLessThanOrEqual(most);
});
