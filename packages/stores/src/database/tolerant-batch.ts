import type * as Sqlite from "./sqlite.ts";
import { isStoreError } from "./store-error.ts";

/**
 * Does the work of all items inside a transaction. If one item fails, it is rolled back and passed to `onError`, and
 * the others are done. An error of the database itself is thrown. Fast without failures: only after a failure does
 * each item get its own savepoint.
 */
export function createTolerantBatch<Item>(
  connection: Sqlite.Database,
  work: (item: Item) => void,
  onError: (item: Item, error: unknown) => void,
): (items: readonly Item[]) => void {
  const workAll = connection.transaction((items: readonly Item[]) => {
    for (const item of items) work(item);
  });
  const workOne = connection.transaction(work);
  return (items) => {
    try {
      workAll(items);
      return;
    } catch (error) {
      if (isStoreError(error)) throw error;
    }
    for (const item of items) {
      try {
        workOne(item);
      } catch (error) {
        if (isStoreError(error)) throw error;
        onError(item, error);
      }
    }
  };
}
