import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../../database/postgres/add-dead-letter.ts";
import type { Database } from "../../database/schema.ts";

/** A product that could not be applied. */
export async function addImportLetter(
  transaction: Kysely<Database>,
  input: ProductInput,
  error: unknown,
  atMs: number,
): Promise<void> {
  const item = productId(input.source, input.key);
  const former = await transaction
    .selectFrom("dead_letters")
    .select("failures")
    .where("queue", "=", "imports")
    .where("item", "=", item)
    .executeTakeFirst();
  const payload = JSON.stringify(input);
  await addDeadLetter(transaction, {
    queue: "imports",
    item,
    error,
    failures: (former?.failures ?? 0) + 1,
    atMs,
    payload,
  });
}

/** Later inputs of the products were applied, so the earlier ones must not be applied any more. */
export async function removeImportLetters(
  transaction: Kysely<Database>,
  productIds: readonly string[],
): Promise<void> {
  await sql`delete from dead_letters where queue = 'imports' and item = any(${productIds}::text[])`.execute(
    transaction,
  );
}

/** The product's row can be read again. */
export async function removeUnreadableLetter(
  transaction: Kysely<Database>,
  productId: string,
): Promise<void> {
  await transaction
    .deleteFrom("dead_letters")
    .where("queue", "=", "products")
    .where("item", "=", productId)
    .execute();
}
