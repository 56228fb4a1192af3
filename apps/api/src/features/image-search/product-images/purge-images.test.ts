import { expect, it, vi } from "vitest";
import { purgeImages } from "./purge-images.ts";

const wanted = { model: "new", dimensions: 16 };

it("removes former vectors although expired images cannot be removed, and reports why", async () => {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const removed: string[][] = [];
  const purging = purgeImages(
    {
      uploadedImageStore: { removeExpired: () => Promise.reject(new Error("a damaged page")) },
      productImageStore: {
        progress: () => Promise.reject(new Error("not asked")),
        removeVectorsExcept: async (kept) => {
          removed.push([...kept]);
          return 0;
        },
      },
      vectors: { model: () => "new", switchTo: () => {} },
    },
    wanted,
    (error) => errors.push(error),
    stopping.signal,
  );
  await vi.waitFor(() => expect(removed).toEqual([["new"]]));
  stopping.abort();
  await purging;
  expect(errors).toEqual([new Error("a damaged page")]);
});
