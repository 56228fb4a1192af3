import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import type { Database } from "../database/schema.ts";

/** Creates the dead letter of an image that failed because of an error in this service. */
export async function addImageLetter(
  transaction: Kysely<Database>,
  imageId: number,
  fault: string,
  atMs: number,
): Promise<void> {
  const image = await transaction
    .selectFrom("pictures")
    .select("address")
    .where("id", "=", imageId)
    .executeTakeFirst();
  if (image === undefined) return;
  const letter = {
    queue: "pictures",
    item: image.address,
    error: fault,
    failures: maxFailures,
    atMs,
  } as const;
  await addDeadLetter(transaction, letter);
}

/** Removes the dead letter, because the image was described after all. */
export async function removeImageLetter(transaction: Kysely<Database>, imageId: number): Promise<void> {
  await sql`
    delete from dead_letters where queue = 'pictures' and item = (select address from pictures where id = ${imageId})`.execute(
    transaction,
  );
}
