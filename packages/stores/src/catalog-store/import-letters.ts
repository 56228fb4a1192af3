import type { ProductInput } from "@product-search/core/domain/product.ts";
import type Sqlite from "better-sqlite3";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";

/** Dead letters of products that could not be applied. */
export interface ImportLetters {
  /** Fast enough for every batch. */
  exist(): boolean;
  add(productId: string, input: ProductInput, error: unknown, atMs: number): void;
  /** A later input of the product was applied, so the earlier one must not be applied any more. */
  remove(productId: string): void;
  /** The product's row can be read again. */
  removeUnreadable(productId: string): void;
}

export function prepareImportLetters(connection: Sqlite.Database): ImportLetters {
  const addDeadLetter = prepareDeadLetter(connection);
  const any = connection.prepare("select 1 from dead_letters where queue = 'imports' limit 1");
  const failures = connection.prepare<[string], { failures: number }>(
    "select failures from dead_letters where queue = 'imports' and item = ?",
  );
  const remove = connection.prepare<[string, string]>(
    "delete from dead_letters where queue = ? and item = ?",
  );
  return {
    exist: () => any.get() !== undefined,
    add(productId, input, error, atMs) {
      const failed = (failures.get(productId)?.failures ?? 0) + 1;
      const payload = JSON.stringify(input);
      addDeadLetter({ queue: "imports", item: productId, error, failures: failed, atMs, payload });
    },
    remove: (productId) => void remove.run("imports", productId),
    removeUnreadable: (productId) => void remove.run("products", productId),
  };
}
