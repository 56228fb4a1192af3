import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { expect, test, vi } from "vitest";
import { createImageUrlRecording } from "./follow-images.ts";

test("records the changes after the position in the store, even if another server has an older one", async () => {
  let noted = 5;
  let last = 5;
  const note = vi.fn(async () => {});
  const record = createImageUrlRecording({
    catalogStore: {
      changesAfter: async (sequence) =>
        [1, 2, 3, 4, 5, 6, 7]
          .filter((one) => one > sequence && one <= last)
          .map((one) => ({ sequence: one, rowId: one })),
      findByRowIds: async (rowIds) =>
        rowIds.map(
          (rowId) => ({ rowId, source: "catalog", images: [`/${rowId}.jpg`] }) as unknown as StoredProduct,
        ),
    },
    productImageStore: { notedSequence: async () => noted, note },
  });
  expect(await record()).toBe(false);
  // The other server lacks the last move of the position, and has other changes since.
  noted = 3;
  last = 7;
  expect(await record()).toBe(true);
  const shown = [4, 5, 6, 7].map((rowId) => ({ rowId, addresses: [`/${rowId}.jpg`] }));
  expect(note).toHaveBeenCalledExactlyOnceWith(shown, 7);
});
