import { randomBytes } from "node:crypto";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

/** A random key of the deployment, made once and stored encrypted: it stays the same when SECRET_KEY is replaced. */
export function createStoredSecret(
  db: Kysely<Database>,
  secretBox: SecretBox,
  name: "image slugs",
): () => Promise<Buffer> {
  let secret: Buffer | undefined;
  const read = async () => {
    const row = await db.selectFrom("secrets").select("sealed").where("name", "=", name).executeTakeFirst();
    return row && Buffer.from(secretBox.open(row.sealed), "base64");
  };
  return async () => {
    secret ??= await read();
    if (secret !== undefined) return secret;
    await db
      .insertInto("secrets")
      .values({ name, sealed: secretBox.seal(randomBytes(32).toString("base64")) })
      // Another process may have been faster.
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    secret = await read();
    if (secret === undefined) throw new Error(`The stored secret "${name}" has gone while it was read.`);
    return secret;
  };
}
