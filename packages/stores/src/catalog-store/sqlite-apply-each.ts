import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { EachOutcome } from "@product-search/core/ports/catalog-store.ts";
import type Sqlite from "better-sqlite3";
import { isStoreError } from "../database/store-error.ts";
import type { ImportLetters } from "./import-letters.ts";
import type { Change, ProductWrites } from "./product-writes.ts";
import { toCreation } from "./product-writes.ts";

/**
 * Applies one input in a savepoint of the open transaction. If it fails, it becomes a dead letter and changes
 * nothing.
 */
export function prepareApplyEach(
  connection: Sqlite.Database,
  writes: ProductWrites,
  letters: ImportLetters,
): (input: ProductInput, nowMs: number) => EachOutcome {
  const applyOne = connection.transaction((input: ProductInput, id: string, nowMs: number): EachOutcome => {
    letters.remove(id);
    const row = writes.find(id);
    if (row === undefined) {
      writes.create(toCreation(input, id, nowMs));
      return "created";
    }
    let change: Change | undefined;
    try {
      change = writes.compare(row, input, nowMs);
    } catch {
      writes.repair(row, input, nowMs);
      letters.removeUnreadable(id);
      return "updated";
    }
    if (change === undefined) return "unchanged";
    writes.replace(change);
    return "updated";
  });
  return (input, nowMs) => {
    const id = productId(input.source, input.key);
    try {
      return applyOne(input, id, nowMs);
    } catch (error) {
      if (isStoreError(error)) throw error;
      letters.add(id, input, error, nowMs);
      return "failed";
    }
  };
}
