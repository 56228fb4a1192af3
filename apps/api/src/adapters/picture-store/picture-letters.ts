import type Sqlite from "better-sqlite3";
import { maxFailures } from "../../ports/dead-letters.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";

/** Dead letters of pictures that were given up for a fault of ours. */
export interface PictureLetters {
  add(pictureId: number, fault: string, atMs: number): void;
  /** The picture was described after all. */
  remove(pictureId: number): void;
}

export function preparePictureLetters(connection: Sqlite.Database): PictureLetters {
  const addDeadLetter = prepareDeadLetter(connection);
  const addressOf = connection.prepare<[number], { address: string }>(
    "select address from pictures where id = ?",
  );
  const remove = connection.prepare<[number]>(
    "delete from dead_letters where queue = 'pictures' and item = (select address from pictures where id = ?)",
  );
  return {
    add(pictureId, fault, atMs) {
      const item = addressOf.get(pictureId)?.address;
      if (item !== undefined)
        addDeadLetter({ queue: "pictures", item, error: fault, failures: maxFailures, atMs });
    },
    remove: (pictureId) => void remove.run(pictureId),
  };
}
