import type { Clock } from "@product-search/core/ports/clock.ts";
import type { UploadedImageStore } from "@product-search/core/ports/images.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface OpenUploadedImageStore {
  store: UploadedImageStore;
  close(): Promise<void>;
}

const bytes = (text: string) => new TextEncoder().encode(text);
const descriptor = (model: string, ...values: number[]) => ({ model, vector: Float32Array.from(values) });

/** Tests for every image store. `open` returns a store with this key whose images expire after `lifetimeMs`. */
export function describeUploadedImageStore(
  open: (settings: {
    clock: Clock;
    lifetimeMs: number;
    slugKey(): Promise<Uint8Array>;
  }) => Promise<OpenUploadedImageStore>,
): void {
  const lifetimeMs = 1000;
  let nowMs: number;
  let store: UploadedImageStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    nowMs = 50_000;
    const clock = { now: () => nowMs };
    ({ store, close } = await open({ clock, lifetimeMs, slugKey: async () => bytes("key") }));
  });
  afterEach(() => close());

  describe("slugs", () => {
    test("are equal only for equal bytes", async () => {
      expect(await store.slugOf(bytes("a"))).toBe(await store.slugOf(bytes("a")));
      expect(await store.slugOf(bytes("a"))).not.toBe(await store.slugOf(bytes("b")));
    });

    test("need no encoding in a URL", async () => {
      const slug = await store.slugOf(bytes("a"));
      expect(slug).toMatch(/^img_[\w-]{24}$/);
      expect(encodeURIComponent(slug)).toBe(slug);
    });

    test("depend on the key of the deployment", async () => {
      const other = await open({
        clock: { now: () => nowMs },
        lifetimeMs,
        slugKey: async () => bytes("other"),
      });
      expect(await other.store.slugOf(bytes("a"))).not.toBe(await store.slugOf(bytes("a")));
      await other.close();
    });
  });

  test("returns a stored image, and nothing for an unknown slug", async () => {
    await store.keep([
      { slug: "a", descriptor: descriptor("m", 0.5, -0.25, 1) },
      { slug: "b", descriptor: descriptor("n", 1, 0) },
    ]);
    expect(await store.find("a")).toEqual(descriptor("m", 0.5, -0.25, 1));
    expect(await store.find("b")).toEqual(descriptor("n", 1, 0));
    expect(await store.find("c")).toBeUndefined();
  });

  test("accepts an empty list", async () => {
    await expect(store.keep([])).resolves.toBeUndefined();
  });

  test("expires an image when its lifetime has passed since it was last stored", async () => {
    const image = { slug: "a", descriptor: descriptor("m", 1) };
    await store.keep([image]);
    nowMs += lifetimeMs - 1;
    await store.keep([image]);
    nowMs += lifetimeMs - 1;
    expect(await store.find("a")).toEqual(image.descriptor);
    nowMs += 1;
    expect(await store.find("a")).toBeUndefined();
  });

  test("renews only an image of the same model", async () => {
    await store.keep([{ slug: "a", descriptor: descriptor("m", 1) }]);
    nowMs += lifetimeMs - 1;
    expect(await store.renew("a", "other")).toBe(false);
    expect(await store.renew("a", "m")).toBe(true);
    nowMs += lifetimeMs - 1;
    expect(await store.find("a")).toEqual(descriptor("m", 1));
    nowMs += 1;
    expect(await store.renew("a", "m")).toBe(false);
    expect(await store.renew("b", "m")).toBe(false);
  });

  test("replaces the descriptor of another model", async () => {
    await store.keep([{ slug: "a", descriptor: descriptor("m", 1) }]);
    await store.keep([{ slug: "a", descriptor: descriptor("n", 0, 1) }]);
    expect(await store.find("a")).toEqual(descriptor("n", 0, 1));
  });

  test("purges only expired images, in batches", async () => {
    const old = ["a", "b", "c"].map((slug) => ({ slug, descriptor: descriptor("m", 1) }));
    await store.keep(old);
    nowMs += lifetimeMs;
    await store.keep([{ slug: "d", descriptor: descriptor("m", 1) }]);
    expect([
      await store.removeExpired(2),
      await store.removeExpired(2),
      await store.removeExpired(2),
    ]).toEqual([2, 1, 0]);
    expect(await store.find("d")).toBeDefined();
  });
}
