import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface OpenProductImageStore {
  store: ProductImageStore;
  close(): Promise<void>;
}

const hourMs = 3600 * 1000;
const vector = (...values: number[]) => Float32Array.from(values);

/** Tests for every image store. `open` returns a store whose catalog has the products 1 to 9. */
export function describeProductImageStore(open: (clock: Clock) => Promise<OpenProductImageStore>): void {
  let nowMs: number;
  let store: ProductImageStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 0, 1);
    ({ store, close } = await open({ now: () => nowMs }));
  });
  afterEach(() => close());

  const show = (rowId: number, ...addresses: string[]) => store.note([{ rowId, addresses }], 1);
  const dueAddresses = async (model = "m") => (await store.due(model, 100)).map(({ address }) => address);
  const idOf = async (address: string) => {
    const found = (await store.due("m", 100)).find((image) => image.address === address);
    if (found === undefined) throw new Error(`${address} is not due.`);
    return found.id;
  };
  const describeAs = async (
    address: string,
    values: number[],
    more: { model?: string; etag?: string } = {},
  ) =>
    store.record([
      {
        id: await idOf(address),
        became: "described",
        descriptor: { model: more.model ?? "m", vector: vector(...values) },
        ...(more.etag !== undefined && { etag: more.etag }),
      },
    ]);
  const vectorsOf = async (rowId: number, model = "m") =>
    (await store.vectorsOf([rowId], model))[0]?.vectors.map((one) => [...one]);

  describe("noting images", () => {
    test("remembers the sequence up to which the catalog was followed", async () => {
      expect(await store.notedSequence()).toBe(0);
      await store.note([], 7);
      expect(await store.notedSequence()).toBe(7);
    });

    test("makes new images due, the service's own first, each URL once", async () => {
      await show(1, "https://cdn.example/a.jpg", "/images/b.jpg");
      await show(2, "https://cdn.example/a.jpg");
      expect(await dueAddresses()).toEqual(["/images/b.jpg", "https://cdn.example/a.jpg"]);
      expect(await store.due("m", 1)).toHaveLength(1);
      expect(await store.due("m", 1, ["https://other.example/", "/images/"])).toMatchObject([
        { address: "https://cdn.example/a.jpg" },
      ]);
    });

    test("removes an image that no product shows any more, and reports the changed product", async () => {
      await show(1, "/a", "/b");
      await describeAs("/a", [1]);
      await describeAs("/b", [2]);
      const before = await store.lastSequence();
      await show(1, "/b");
      expect(await vectorsOf(1)).toEqual([[2]]);
      expect((await store.changesAfter(before, 10)).map(({ rowId }) => rowId)).toEqual([1]);
      await show(2, "/a");
      expect(await dueAddresses()).toEqual(["/a"]);
    });

    test("keeps an image that another product still shows", async () => {
      await show(1, "/a");
      await show(2, "/a");
      await describeAs("/a", [1]);
      await show(1);
      expect([await vectorsOf(1), await vectorsOf(2)]).toEqual([[], [[1]]]);
    });

    test("reports nothing if the images of a product did not change", async () => {
      await show(1, "/a");
      await describeAs("/a", [1]);
      const before = await store.lastSequence();
      await show(1, "/a");
      expect(await store.lastSequence()).toBe(before);
      expect(await dueAddresses()).toEqual([]);
    });

    test("makes an image due again a day after it was described, and a lost one at once", async () => {
      await show(1, "/a", "/b");
      await describeAs("/a", [1], { etag: '"1"' });
      await store.record([{ id: await idOf("/b"), became: "lost", fault: "gone" }]);
      nowMs += hourMs;
      await show(1, "/a", "/b");
      expect(await dueAddresses()).toEqual(["/b"]);
      nowMs += 24 * hourMs;
      await show(1, "/a", "/b");
      expect(await store.due("m", 10)).toMatchObject([
        { address: "/a", attempts: 0, etag: '"1"' },
        { address: "/b" },
      ]);
      expect((await store.due("other", 10))[0]?.etag).toBeUndefined();
    });
  });

  describe("recording outcomes", () => {
    test("stores the vector of a described image for every product that shows it", async () => {
      await show(1, "/a");
      await show(2, "/a", "/b");
      const before = await store.lastSequence();
      await describeAs("/a", [0.5, -1]);
      await describeAs("/b", [1, 1]);
      expect(await vectorsOf(1)).toEqual([[0.5, -1]]);
      expect(await vectorsOf(2)).toEqual([
        [0.5, -1],
        [1, 1],
      ]);
      expect((await store.changesAfter(before, 10)).map(({ rowId }) => rowId)).toEqual([1, 2]);
      expect(await dueAddresses()).toEqual([]);
    });

    test("delays an image until its next attempt, and counts the failures", async () => {
      await show(1, "https://cdn.example/a.jpg");
      const id = await idOf("https://cdn.example/a.jpg");
      await store.record([{ id, became: "retry", afterMs: 1000, fault: "503" }]);
      expect(await dueAddresses()).toEqual([]);
      nowMs += 1000;
      expect(await store.due("m", 10)).toMatchObject([{ id, attempts: 1 }]);
    });

    test("delays an image that was not tried, which is no failure", async () => {
      await show(1, "https://cdn.example/a.jpg");
      const id = await idOf("https://cdn.example/a.jpg");
      await store.record([{ id, became: "postponed", afterMs: 1000 }]);
      expect(await dueAddresses()).toEqual([]);
      nowMs += 1000;
      expect(await store.due("m", 10)).toMatchObject([{ id, attempts: 0 }]);
    });

    test("removes the vectors of a lost image from its products", async () => {
      await show(1, "/a");
      await describeAs("/a", [1]);
      nowMs += 25 * hourMs;
      await show(1, "/a");
      const before = await store.lastSequence();
      await store.record([{ id: await idOf("/a"), became: "lost", fault: "404" }]);
      expect(await vectorsOf(1)).toEqual([]);
      expect(await store.changesAfter(before, 10)).toHaveLength(1);
    });

    test("keeps the vector of an unchanged image and changes no product", async () => {
      await show(1, "/a");
      await describeAs("/a", [1]);
      nowMs += 25 * hourMs;
      await show(1, "/a");
      const before = await store.lastSequence();
      await store.record([{ id: await idOf("/a"), became: "unchanged" }]);
      expect(await vectorsOf(1)).toEqual([[1]]);
      expect(await store.lastSequence()).toBe(before);
      expect(await dueAddresses()).toEqual([]);
    });

    test("ignores the outcome of an image that no product shows any more", async () => {
      await show(1, "/a");
      const id = await idOf("/a");
      await show(1);
      await store.record([
        { id, became: "described", descriptor: { model: "m", vector: vector(1) } },
        { id, became: "lost", fault: "404" },
      ]);
      expect(await store.scan("m", 0, 10)).toEqual([]);
    });

    test("counts described, waiting and lost images", async () => {
      await show(1, "/a", "/b", "https://cdn.example/c.jpg", "/d");
      await describeAs("/a", [1]);
      await store.record([
        { id: await idOf("/b"), became: "lost", fault: "damaged" },
        { id: await idOf("/d"), became: "retry", afterMs: 1, fault: "busy" },
      ]);
      expect(await store.progress()).toEqual({ described: 1, waiting: 2, untried: 1, lost: 1 });
    });
  });

  describe("reading vectors", () => {
    test("separates models and scans products in the order of their row ids", async () => {
      await show(3, "/c");
      await show(1, "/a", "/b");
      await show(2, "/d");
      await describeAs("/c", [3]);
      await describeAs("/a", [1]);
      await describeAs("/b", [2]);
      await describeAs("/d", [4], { model: "other" });
      const rows = await store.scan("m", 0, 10);
      expect(rows.map(({ rowId, vectors }) => [rowId, vectors.length])).toEqual([
        [1, 2],
        [3, 1],
      ]);
      expect((await store.scan("m", 1, 10)).map(({ rowId }) => rowId)).toEqual([3]);
      expect(await store.scan("m", 0, 1)).toHaveLength(1);
      expect([await vectorsOf(2), await vectorsOf(2, "other")]).toEqual([[], [[4]]]);
    });

    test("lists changes oldest first, each product once, up to the limit", async () => {
      await show(1, "/a");
      await show(2, "/b");
      await describeAs("/a", [1]);
      expect((await store.changesAfter(0, 10)).map(({ rowId }) => rowId)).toEqual([2, 1]);
      expect(await store.changesAfter(0, 1)).toHaveLength(1);
      expect(await store.changesAfter(await store.lastSequence(), 10)).toEqual([]);
    });
  });

  describe("another model", () => {
    test("makes every image without vectors of the model due again, in batches", async () => {
      await show(1, "/a", "/b", "/c");
      await describeAs("/a", [1]);
      await describeAs("/b", [1], { model: "new" });
      await store.record([{ id: await idOf("/c"), became: "lost", fault: "damaged" }]);
      let last: number | undefined = 0;
      let steps = 0;
      while (last !== undefined) {
        last = await store.requeueWithout("new", last, 2);
        steps += 1;
      }
      expect(steps).toBe(3);
      expect(await dueAddresses("new")).toEqual(["/a", "/c"]);
      expect(await vectorsOf(1)).toEqual([[1]]);
    });

    test("deletes the vectors of a model, in batches", async () => {
      await show(1, "/a", "/b", "/c");
      await describeAs("/a", [1], { model: "x" });
      await describeAs("/b", [1], { model: "x" });
      await describeAs("/c", [1], { model: "new" });
      expect((await store.storedModels()).toSorted()).toEqual(["new", "x"]);
      const removed = [];
      for (let step = 0; step < 3; step++) removed.push(await store.removeVectors("x", 1));
      expect(removed).toEqual([1, 1, 0]);
      expect(await vectorsOf(1, "new")).toEqual([[1]]);
      expect(await store.storedModels()).toEqual(["new"]);
    });

    test("has described the images when none is left that it has not tried", async () => {
      await show(1, "/a", "/b");
      expect(await store.isDescribedBy("m")).toBe(false);
      await describeAs("/a", [1]);
      await store.record([{ id: await idOf("/b"), became: "retry", afterMs: 1, fault: "no reply" }]);
      expect(await store.isDescribedBy("m")).toBe(true);
      expect(await store.isDescribedBy("new")).toBe(false);
    });
  });
}
