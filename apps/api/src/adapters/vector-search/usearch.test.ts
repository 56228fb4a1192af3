import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { floorAbove, typicalSimilarity } from "@product-search/core/domain/similarity.ts";
import {
  describeVectorSearch,
  dimensions,
  leaning,
  model,
} from "@product-search/testing/contracts/vector-search.ts";
import { createMemoryVectors } from "@product-search/testing/memory-ports.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { identifyBuiltInModel, identifySmallModel } from "@product-search/vision/identity";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { buildVectorFile } from "./build-vector-file.ts";
import { type FollowVectorsSettings, followVectors } from "./follow-vectors.ts";
import { createUsearchVectorSearch } from "./usearch.ts";
import { findDamage, readVectorFile, type VectorSegments, viewVectors } from "./vector-file.ts";

describe("usearch", () => {
  type MemoryVectors = ReturnType<typeof createMemoryVectors>;

  async function follow(store: MemoryVectors, folder: string, settings: Partial<FollowVectorsSettings> = {}) {
    let receive: (segments: VectorSegments) => void = () => {};
    const search = createUsearchVectorSearch({
      subscribe: (listener) => {
        receive = listener;
      },
    });
    let lastBuild: Promise<unknown> = Promise.resolve();
    const follower = await followVectors({
      store,
      folder,
      model,
      dimensions,
      publish: (segments) => receive(segments),
      buildFile: (requested) => {
        const build = buildVectorFile({ store, folder, ...requested });
        lastBuild = build;
        return build;
      },
      onFailure: (error) => expect.fail(String(error)),
      pollMs: 1,
      deltaCapacity: 64,
      ...settings,
    });
    const caughtUp = async () => {
      const last = await store.lastSequence();
      await vi.waitFor(() => expect(search.sequence()).toBeGreaterThanOrEqual(last), {
        interval: 1,
        timeout: 60_000,
      });
    };
    const stop = async () => {
      await follower.stop();
      await lastBuild;
    };
    return { search, follower, caughtUp, stop };
  }

  async function temporaryFolder() {
    const folder = await mkdtemp(join(tmpdir(), "vectors-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }

  /** The same numbers in every run. */
  function createRandom(seed: number) {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
  }

  describe("the usearch vector search, in the delta", () => {
    describeVectorSearch(async () => {
      const folder = await mkdtemp(join(tmpdir(), "vectors-"));
      const store = createMemoryVectors();
      const { search, stop, caughtUp } = await follow(store, folder);
      return {
        search,
        async put(rowId, vectors) {
          store.put(rowId, vectors);
          await caughtUp();
        },
        async close() {
          await stop();
          await rm(folder, { recursive: true, force: true });
        },
      };
    });
  });

  describe("the usearch vector search, where each change but the last is in the file", () => {
    describeVectorSearch(async () => {
      const folder = await mkdtemp(join(tmpdir(), "vectors-"));
      const store = createMemoryVectors();
      let opened = await follow(store, folder);
      return {
        search: {
          model: () => opened.search.model(),
          typicalSimilarity: () => opened.search.typicalSimilarity(),
          search: (query) => opened.search.search(query),
        },
        async put(rowId, vectors) {
          await opened.stop();
          await buildVectorFile({ store, folder, model, dimensions });
          opened = await follow(store, folder);
          store.put(rowId, vectors);
          await opened.caughtUp();
        },
        async close() {
          await opened.stop();
          await rm(folder, { recursive: true, force: true });
        },
      };
    });
  });

  test("finds the same as a full scan, through edits, files and restarts", async () => {
    const folder = await temporaryFolder();
    const store = createMemoryVectors();
    const random = createRandom(testSeed("the edited vectors", 7));
    const vector = () => {
      const values = Float32Array.from({ length: dimensions }, () => random() - 0.5);
      const length = Math.hypot(...values);
      return values.map((value) => value / length);
    };
    let overlap = 0;
    let expected = 0;
    for (let start = 0; start < 4; start++) {
      const { search, stop, caughtUp } = await follow(store, folder);
      for (let round = 0; round < 8; round++) {
        for (let edit = 0; edit < 30; edit++) {
          store.put(1 + Math.floor(random() * 300), Array.from({ length: Math.floor(random() * 4) }, vector));
        }
        await caughtUp();
        const query = vector();
        const wanted = store.search(query, 20, 0);
        const found = new Set(
          (await search.search({ vector: query, limit: 20, minSimilarity: 0 })).map((hit) => hit.rowId),
        );
        overlap += wanted.filter((rowId) => found.has(rowId)).length;
        expected += wanted.length;
      }
      await stop();
    }
    expect(readVectorFile(folder).file?.vectors).toBeGreaterThan(100);
    expect(overlap / expected).toBeGreaterThan(0.98);
  });

  describe("the base file", () => {
    const filled = async () => {
      const folder = await temporaryFolder();
      const store = createMemoryVectors();
      for (let rowId = 1; rowId <= 50; rowId++) store.put(rowId, [leaning(rowId / 100)]);
      await buildVectorFile({ store, folder, model, dimensions });
      return { folder, store };
    };
    const reopen = async (
      folder: string,
      store: MemoryVectors,
      settings?: Partial<FollowVectorsSettings>,
    ) => {
      const opened = await follow(store, folder, settings);
      await opened.stop();
      return opened;
    };

    test("is used by the next start", async () => {
      const { folder, store } = await filled();
      const { search, follower } = await reopen(folder, store);
      expect(follower.unusable).toBeUndefined();
      const hits = await search.search({ vector: leaning(0), limit: 2, minSimilarity: 0 });
      expect(hits.map((hit) => hit.rowId)).toEqual([1, 2]);
    });

    test.each<[string, (path: string, folder: string) => Promise<void>, RegExp]>([
      ["is cut off", (path) => truncate(path, 100), /size/],
      ["is gone", (path) => rm(path), /ENOENT/],
      ["has a changed byte", (path) => flipByte(path), /checksum/],
      [
        "has a damaged manifest",
        (_, folder) => writeFile(join(folder, "manifest.json"), "1\n{}"),
        /manifest is damaged/,
      ],
    ])("is not believed when it %s", async (_, damage, reason) => {
      const { folder, store } = await filled();
      const file = readVectorFile(folder).file?.file ?? "";
      await damage(join(folder, file), folder);
      const { search, follower } = await reopen(folder, store, { deltaCapacity: 4096 });
      expect(follower.unusable).toMatch(reason);
      expect(await search.search({ vector: leaning(0), limit: 50, minSimilarity: 0 })).toHaveLength(50);
    });

    test("is not used if it has vectors of another model", async () => {
      const { folder, store } = await filled();
      expect((await reopen(folder, store, { model: "other" })).follower.unusable).toMatch("another model");
    });

    test("is not used if it is newer than the store, which was restored from a backup", async () => {
      const { folder } = await filled();
      expect((await reopen(folder, createMemoryVectors())).follower.unusable).toMatch("ahead");
    });

    test("is not used with other dimensions", async () => {
      const { folder } = await filled();
      const path = join(folder, readVectorFile(folder).file?.file ?? "");
      expect(() => viewVectors(path, dimensions + 1)).toThrow(`${dimensions} dimensions instead of`);
    });

    test("is replaced by the next one, and former ones are removed", async () => {
      const { folder, store } = await filled();
      const { stop, caughtUp } = await follow(store, folder);
      for (let rowId = 1; rowId <= 300; rowId++) {
        store.put(rowId, [leaning(rowId / 500)]);
        if (rowId % 10 === 0) await caughtUp();
      }
      await vi.waitFor(() => expect(readVectorFile(folder).file?.sequence).toBeGreaterThan(300), {
        timeout: 60_000,
      });
      await stop();
      const files = async () => (await readdir(folder)).filter((file) => file.endsWith(".usearch"));
      expect((await files()).length).toBeLessThanOrEqual(3);
      for (const file of await files()) await age(join(folder, file), 2);
      await reopen(folder, store);
      expect(await files()).toEqual([readVectorFile(folder).file?.file]);
    });

    test("of another model is used when it is complete; searches use the former one until then", async () => {
      const { folder, store } = await filled();
      const finish = Promise.withResolvers<void>();
      const { search, follower, stop } = await follow(store, folder, {
        buildFile: async (requested) => {
          await finish.promise;
          return buildVectorFile({ store, folder, ...requested });
        },
      });
      follower.switchTo({ model: "other", dimensions });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(search.model()).toBe(model);
      finish.resolve();
      await vi.waitFor(() => expect(search.model()).toBe("other"), { timeout: 60_000 });
      expect(readVectorFile(folder).file).toMatchObject({ model: "other", vectors: 50 });
      await stop();
    });
  });

  async function flipByte(path: string): Promise<void> {
    const { open } = await import("node:fs/promises");
    const file = await open(path, "r+");
    const byte = Buffer.alloc(1);
    await file.read(byte, 0, 1, 2000);
    byte[0] = (byte[0] ?? 0) ^ 1;
    await file.write(byte, 0, 1, 2000);
    await file.close();
  }

  test("a vector of another length becomes a dead letter, and stops neither following nor building", async () => {
    const folder = await temporaryFolder();
    const store = createMemoryVectors();
    const { search, caughtUp, stop } = await follow(store, folder);
    store.put(1, [Float32Array.of(1), leaning(0)]);
    store.put(2, [new Float32Array(3 * dimensions)]);
    store.put(3, [leaning(0.1)]);
    await caughtUp();
    const found = () => search.search({ vector: leaning(0), limit: 10, minSimilarity: 0 });
    expect((await found()).map(({ rowId }) => rowId)).toEqual([1, 3]);
    expect((await store.vectorsOf([1, 2], model)).map(({ vectors }) => vectors.length)).toEqual([1, 0]);
    store.put(4, [Float32Array.of(1)]);
    const file = await buildVectorFile({ store, folder, model, dimensions });
    expect(file).toMatchObject({ vectors: 2, sequence: await store.lastSequence() });
    await stop();
  });

  test("several processes that write the file at once leave a valid one, and no draft", async () => {
    const folder = await temporaryFolder();
    const stores = Array.from({ length: 4 }, (_, at) => {
      const store = createMemoryVectors();
      for (let rowId = 1; rowId <= 20 + at; rowId++) store.put(rowId, [leaning(rowId / 50)]);
      return store;
    });
    await Promise.all(stores.map((store) => buildVectorFile({ store, folder, model, dimensions })));
    const { file } = readVectorFile(folder);
    if (file === undefined) throw new Error("There is no file.");
    expect(findDamage(folder, file)).toBeUndefined();
    expect((await readdir(folder)).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  async function age(path: string, minutes: number): Promise<void> {
    const then = new Date(Date.now() - minutes * 60_000);
    await utimes(path, then, then);
  }

  test("old files of a crashed process are removed, but not what another process has just written", async () => {
    const folder = await temporaryFolder();
    const [oldFile, youngFile] = ["vectors-7-0123abcd.usearch", "vectors-8-0123abcd.usearch"];
    for (const name of ["old.draft", "young.draft", oldFile, youngFile])
      await writeFile(join(folder, name), "");
    await age(join(folder, "old.draft"), 120);
    await age(join(folder, oldFile), 2);
    const { stop } = await follow(createMemoryVectors(), folder);
    await stop();
    expect((await readdir(folder)).toSorted()).toEqual([youngFile, "young.draft"]);
  });
});

describe("typical similarity", () => {
  const dimensions = 64;

  /** Vectors of length 1 with the share `common` of their squared length in one direction: any two are about that similar. */
  function storeOf(products: number, common: number) {
    let state = 5;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32 - 0.5;
    };
    const store = createMemoryVectors();
    for (let n = 1; n <= products; n++) {
      const own = Float32Array.from({ length: dimensions }, (_, at) => (at === 0 ? 0 : random()));
      const scale = Math.sqrt(1 - common) / Math.hypot(...own);
      const vector = own.map((value, at) => (at === 0 ? Math.sqrt(common) : value * scale));
      store.put(n * 7, [vector, vector]);
    }
    return store;
  }

  test.each([
    ["nothing", 0, 0],
    ["a third", 0.33, 0.33],
    ["nearly everything", 0.9, 0.5],
  ])("is what any two images have in common: %s", async (_, common, expected) => {
    const store = storeOf(300, common);
    expect(await typicalSimilarity(store, "m", undefined)).toBeCloseTo(expected, 1);
    expect(await typicalSimilarity(store, "m", 2100)).toBeCloseTo(expected, 1);
  });

  test("is 0 for few products", async () => {
    expect(await typicalSimilarity(storeOf(19, 0.4), "m", undefined)).toBe(0);
    expect(await typicalSimilarity(createMemoryVectors(), "m", 5)).toBe(0);
  });

  test("raises the minimum similarity, which stays 0.25 if things of different kinds are not similar at all", () => {
    expect(floorAbove(0, undefined)).toBe(0.25);
    expect(floorAbove(0, identifySmallModel().id)).toBe(0.2);
    expect(floorAbove(0, identifyBuiltInModel().id)).toBe(0.25);
    expect(floorAbove(0, `${identifySmallModel().id}+0a1b2c`)).toBe(0.25);
    expect(floorAbove(0.5, undefined)).toBeCloseTo(0.625);
  });
});
