import { setTimeout } from "node:timers/promises";
import { followImages } from "@product-search/features/image-search/product-images/follow-images.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/sqlite.ts";
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
    { model: model.model, concurrency: 2, pollMs: 5, lookEveryMs: 3_600_000, onProgress: () => {} },
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
    timeout: 15_000,
  });
});
