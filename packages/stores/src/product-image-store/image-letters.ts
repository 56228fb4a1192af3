import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import type * as Sqlite from "../database/sqlite.ts";

/** Dead letters of images that failed because of an error in this service. */
export interface ImageLetters {
  add(imageId: number, fault: string, atMs: number): void;
  /** Removes the dead letter, because the image was described after all. */
  remove(imageId: number): void;
}

export function prepareImageLetters(connection: Sqlite.Database): ImageLetters {
  const addDeadLetter = prepareDeadLetter(connection);
  const addressOf = connection.prepare<[number], { address: string }>(
    "select address from pictures where id = ?",
  );
  const remove = connection.prepare<[number]>(
    "delete from dead_letters where queue = 'pictures' and item = (select address from pictures where id = ?)",
  );
  return {
    add(imageId, fault, atMs) {
      const item = addressOf.get(imageId)?.address;
      if (item !== undefined)
        addDeadLetter({ queue: "pictures", item, error: fault, failures: maxFailures, atMs });
    },
    remove: (imageId) => void remove.run(imageId),
  };
}
