import type Sqlite from "better-sqlite3";
import { isStoreError } from "./store-error.ts";

/**
 * Does the work of all items, for use inside a transaction. An item that fails is undone by itself and handed to
 * `onError`, and the others are done; a fault of the store itself is thrown. Fast while nothing fails: only then has each
 * item a savepoint of its own.
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
