import type { Kysely } from "kysely";
import type { NewDeadLetter } from "../new-dead-letter.ts";
import { randomId } from "../random-id.ts";
import type { Database } from "../schema.ts";

/** Maximum length of a stored error message. */
const maxErrorLength = 1000;

/** Writes a dead letter. Call it in the transaction that removes the item from its queue. */
export async function addDeadLetter(
  db: Kysely<Database>,
  { queue, item, error, failures, atMs, payload }: NewDeadLetter,
): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error);
  const letter = {
    error: reason.slice(0, maxErrorLength),
    failures,
    created_at: atMs,
    payload: payload ?? null,
  };
  await db
    .insertInto("dead_letters")
    .values({ id: randomId("dead_"), queue, item, ...letter })
    .onConflict((conflict) => conflict.columns(["queue", "item"]).doUpdateSet(letter))
    .execute();
}
