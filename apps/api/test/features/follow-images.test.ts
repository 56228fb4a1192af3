import { createServer } from "node:net";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { ProductImageStore } from "@product-search/core/ports/images.ts";
import { followImages } from "@product-search/features/image-search/product-images/follow-images.ts";
import { createSqliteProductImageStore } from "@product-search/stores/product-image-store/product-image-store.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { describeWith, drawing, pngBomb, type Shape } from "@product-search/testing/images/images.ts";
import { listen } from "@product-search/testing/outbound-http/listen.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from "vitest";
import { post } from "../../testing/images/image-service.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

describe("follow images", () => {
  interface Served {
    status?: number;
    body?: Buffer;
    etag?: string;
  }

  /** A shop's image server on loopback. Its images may change at any time. */
  async function startImageHost() {
    const images = new Map<string, Served>();
    const host = await startReceiver((response, { path, headers }) => {
      const { status = 200, body = Buffer.alloc(0), etag } = images.get(path) ?? { status: 404 };
      const known = etag !== undefined && headers["if-none-match"] === etag;
      response.writeHead(known ? 304 : status, { ...(etag !== undefined && { etag }) });
      response.end(known ? undefined : body);
    });
    return {
      /** Puts an image at the path and returns its URL. */
      put(path: string, served: Served): string {
        images.set(path, served);
        return host.url + path;
      },
      asked: (path: string) => host.received.filter((one) => one.path === path),
      close: host.close,
    };
  }

  const dayMs = 24 * 3600 * 1000;
  const visible = { timeout: 15_000, interval: 20 };

  let host: Awaited<ReturnType<typeof startImageHost>>;
  let service: TestService;
  let store: ProductImageStore;
  beforeEach(async () => {
    host = await startImageHost();
    service = await createTestService({
      environment: { FETCH_ALLOW_NETWORKS: "127.0.0.0/8" },
      lookForImagesEveryMs: 50,
    });
    store = createSqliteProductImageStore({ ...service.stores.database, clock: service.clock });
  });
  afterEach(async () => {
    await service.close();
    await host.close();
  });

  const png = (shape: Shape, colour = "#c02020") => drawing(shape, colour).png().toBuffer();
  const show = (n: number, ...images: string[]) =>
    service.stores.catalogStore.apply([fakeMug("catalog", n, { name: `product ${n}`, images })]);
  const namesLike = async (image: Buffer): Promise<string[]> => {
    const { slug } = (
      await post(service, "vectorize-image", { base64String: image.toString("base64") })
    ).json();
    const headers = { authorization: `Bearer ${await service.token()}` };
    const response = await service.app.inject({ url: "/api/v1/search", query: { imageId: slug }, headers });
    return response.json().Products.map(({ name }: { name: string }) => name);
  };
  const firstLike = async (image: Buffer) => (await namesLike(image))[0];
  const settled = async (expected: Partial<Awaited<ReturnType<ProductImageStore["progress"]>>>) =>
    vi.waitFor(async () => expect(await store.progress()).toMatchObject(expected), visible);

  describe("an image of another host", () => {
    it("can be found after its product is imported or changed, and not after the product has lost it", async () => {
      await service.imaged();
      const [disc, bars] = [await png("disc"), await png("bars", "#2040c0")];
      await show(1, host.put("/disc.png", { body: disc }));
      await show(2, host.put("/ring.png", { body: await png("ring", "#208040") }));
      await vi.waitFor(async () => expect(await firstLike(disc)).toBe("product 1"), visible);
      await show(1, host.put("/bars.png", { body: bars }));
      await vi.waitFor(async () => expect(await firstLike(bars)).toBe("product 1"), visible);
      await vi.waitFor(async () => expect(await firstLike(disc)).not.toBe("product 1"), visible);
      await show(1);
      await vi.waitFor(async () => expect(await namesLike(bars)).not.toContain("product 1"), visible);
    });

    it("is removed with the last product that shows it", async () => {
      await service.imaged();
      const disc = await png("disc");
      const address = host.put("/disc.png", { body: disc });
      await show(1, address);
      await show(2, address);
      await vi.waitFor(async () => expect(await namesLike(disc)).toHaveLength(2), visible);
      const [first, second] = await service.stores.catalogStore.scan(0, 2);
      await service.stores.catalogStore.remove([first?.id ?? ""]);
      await vi.waitFor(async () => expect(await namesLike(disc)).toEqual(["product 2"]), visible);
      await settled({ described: 1 });
      await service.stores.catalogStore.remove([second?.id ?? ""]);
      await settled({ described: 0, waiting: 0, lost: 0 });
      await vi.waitFor(async () => expect(await namesLike(disc)).toEqual([]), visible);
    });

    it("the best image of a product counts", async () => {
      const shapes = ["disc", "square", "triangle"] as const;
      const images = await Promise.all(shapes.map((shape) => png(shape)));
      await show(1, ...images.map((body, at) => host.put(`/${at}.png`, { body })));
      await show(2, host.put("/other.png", { body: await png("bars", "#2040c0") }));
      await service.imaged();
      await settled({ described: 4, waiting: 0 });
      for (const image of images) {
        await vi.waitFor(async () => expect(await firstLike(image)).toBe("product 1"), visible);
      }
    });

    it("is fetched once for all its products, and again by its ETag after a day", async () => {
      await service.imaged();
      const address = host.put("/disc.png", { body: await png("disc"), etag: '"1"' });
      await show(1, address);
      await show(2, address);
      await settled({ described: 1, waiting: 0 });
      service.clock.nowMs += 2 * dayMs;
      await service.stores.catalogStore.apply([fakeMug("catalog", 1, { priceMinor: 1, images: [address] })]);
      await vi.waitFor(() => expect(host.asked("/disc.png")).toHaveLength(2), visible);
      expect(host.asked("/disc.png")[1]?.headers["if-none-match"]).toBe('"1"');
      await settled({ described: 1, waiting: 0 });
    });

    it("is described again if its host has a new version", async () => {
      await service.imaged();
      const square = await png("square");
      const address = host.put("/a.png", { body: await png("disc"), etag: '"1"' });
      await show(1, address);
      await settled({ described: 1 });
      host.put("/a.png", { body: square, etag: '"2"' });
      service.clock.nowMs += 2 * dayMs;
      await service.stores.catalogStore.apply([
        fakeMug("catalog", 1, { name: "product 1", priceMinor: 1, images: [address] }),
      ]);
      await vi.waitFor(() => expect(host.asked("/a.png")).toHaveLength(2), visible);
      await settled({ described: 1, waiting: 0 });
      await vi.waitFor(async () => expect(await firstLike(square)).toBe("product 1"), visible);
    });

    it.each([500, 503, 429])("is tried again later when its host responds %i", async (status) => {
      await service.imaged();
      await show(1, host.put("/a.png", { status }));
      await settled({ waiting: 1, untried: 0 });
      host.put("/a.png", { body: await png("disc") });
      service.clock.nowMs += 31_000;
      await settled({ described: 1, waiting: 0 });
    });

    it("has failed after five attempts", async () => {
      const attempts = async () => {
        const images = service.stores.database.db.selectFrom("pictures").select("attempts");
        return (await images.executeTakeFirst())?.attempts;
      };
      await service.imaged();
      await show(1, host.put("/a.png", { status: 500 }));
      for (let attempt = 1; attempt <= 5; attempt++) {
        await settled(attempt < 5 ? { waiting: 1, untried: 0 } : { lost: 1, waiting: 0 });
        await vi.waitFor(async () => expect(await attempts()).toBe(attempt < 5 ? attempt : 0), visible);
        expect(host.asked("/a.png")).toHaveLength(attempt);
        service.clock.nowMs += 3600_000;
      }
    });

    it.each<[string, () => Promise<Buffer> | Buffer]>([
      ["what is no image", () => Buffer.from("<html>")],
      ["an image that breaks off", async () => (await png("disc")).subarray(0, 200)],
      ["a bomb", () => pngBomb(20_000, 20_000)],
      ["more than fifteen megabytes", () => Buffer.alloc(15 * 1024 * 1024 + 1, 1)],
      ["nothing", () => Buffer.alloc(0)],
    ])("is lost when its host gives %s, and others go on", async (_, body) => {
      await service.imaged();
      await show(1, host.put("/bad", { body: await body() }), host.put("/good", { body: await png("disc") }));
      await settled({ described: 1, lost: 1, waiting: 0 });
      await vi.waitFor(async () => expect(await firstLike(await png("disc"))).toBe("product 1"), visible);
    });

    it("is lost if its host no longer has it, and then removed from the index", async () => {
      await service.imaged();
      const disc = await png("disc");
      const address = host.put("/a.png", { body: disc });
      await show(1, address);
      await vi.waitFor(async () => expect(await firstLike(disc)).toBe("product 1"), visible);
      host.put("/a.png", { status: 410 });
      service.clock.nowMs += 2 * dayMs;
      await service.stores.catalogStore.apply([fakeMug("catalog", 1, { priceMinor: 1, images: [address] })]);
      await settled({ described: 0, lost: 1 });
      await vi.waitFor(async () => expect(await namesLike(disc)).toEqual([]), visible);
    });
  });

  it("sends no request to a network that is not allowed", async () => {
    const strict = await createTestService();
    const strictStore = createSqliteProductImageStore({ ...strict.stores.database, clock: strict.clock });
    const images = [
      host.put("/a.png", { body: await png("disc") }),
      "http://169.254.169.254/latest/meta-data",
    ];
    await strict.stores.catalogStore.apply([fakeMug("catalog", 1, { images })]);
    await strict.imaged();
    await vi.waitFor(async () => expect(await strictStore.progress()).toMatchObject({ lost: 2 }), visible);
    expect(host.asked("/a.png")).toEqual([]);
    await strict.close();
  });

  it("does not let a host that never responds block others", async () => {
    await service.imaged();
    const silent = createServer();
    const port = await listen(silent);
    await show(1, `http://127.0.0.1:${port}/a.png`);
    await show(2, host.put("/b.png", { body: await png("disc") }));
    await settled({ described: 1, waiting: 1 });
    silent.close();
  });

  it("moves an image of the service that cannot be read to the dead letters after five failures, and continues with others", async () => {
    const { localImages } = service.stores;
    const read = vi.spyOn(localImages, "read").mockImplementation(async (address) => {
      if (address === "/images/poison.png") throw new Error("EIO");
      return png("disc");
    });
    await show(1, "/images/poison.png");
    await show(2, "/images/good.png");
    await service.imaged();
    const attempts = async () => {
      const images = service.stores.database.db.selectFrom("pictures").select("attempts");
      return (await images.where("address", "like", "%poison%").executeTakeFirst())?.attempts;
    };
    for (let attempt = 1; attempt < 5; attempt++) {
      await vi.waitFor(async () => expect(await attempts()).toBe(attempt), visible);
      service.clock.nowMs += 3_600_000;
    }
    await settled({ described: 1, lost: 1, waiting: 0 });
    expect(read.mock.calls.filter(([address]) => address.includes("poison"))).toHaveLength(5);
    expect((await service.stores.deadLetters.list({ limit: 10 })).letters).toMatchObject([
      { queue: "pictures", item: "/images/poison.png", error: "EIO", failures: 5 },
    ]);
  });
});

describe("idle images", () => {
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
      {
        model: model.model,
        concurrency: 3,
        pollMs: 5,
        lookEveryMs: 10,
        slowAfterMs: 30,
        onProgress: () => {},
      },
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
});
