import type { DeadLetterQueue } from "@product-search/core/ports/webhooks.ts";
import type { Kysely } from "kysely";
import { randomId } from "./random-id.ts";
import type { Database } from "./schema.ts";
import type * as Sqlite from "./sqlite.ts";

/** Maximum length of a stored error message. */
const maxErrorLength = 1000;

export interface NewDeadLetter {
  queue: DeadLetterQueue;
  item: string;
  error: unknown;
  failures: number;
  atMs: number;
  /** The data for a retry, if the item is not stored anywhere else. */
  payload?: string;
}

/** Writes a dead letter. Call it in the transaction that removes the item from its queue. */
export async function addDeadLetter(db: Kysely<Database>, letter: NewDeadLetter): Promise<void> {
  const { queue, item, failures, atMs, payload = null } = letter;
  const changing = { error: reasonOf(letter), failures, created_at: atMs, payload };
  await db
    .insertInto("dead_letters")
    .values({ id: randomId("dead_"), queue, item, ...changing })
    .onConflict((conflict) => conflict.columns(["queue", "item"]).doUpdateSet(changing))
    .execute();
}

/** The same on a SQLite connection, in the transaction that is open there. */
export function prepareDeadLetter(connection: Sqlite.Database): (letter: NewDeadLetter) => void {
  const insert = connection.prepare<[string, string, string, string, number, number, string | null]>(
    `insert into dead_letters (id, queue, item, error, failures, created_at, payload) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (queue, item) do update set error = excluded.error, failures = excluded.failures,
       created_at = excluded.created_at, payload = excluded.payload`,
  );
  return (letter) => {
    const { queue, item, failures, atMs, payload = null } = letter;
    insert.run(randomId("dead_"), queue, item, reasonOf(letter), failures, atMs, payload);
  };
}

function reasonOf({ error }: NewDeadLetter): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxErrorLength);
}
