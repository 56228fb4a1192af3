import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";

export const publicTokens = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema.alterTable("tokens").addColumn("public_origins", "text").execute();
  },
};
