import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const idempotencyClaims = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("idempotency").addColumn("claim", "text").execute();
  },
};
