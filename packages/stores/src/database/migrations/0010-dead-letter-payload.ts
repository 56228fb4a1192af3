import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const deadLetterPayload = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("dead_letters").addColumn("payload", "text").execute();
  },
};
