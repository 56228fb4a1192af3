import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** Every thread reads the tokens that were used lately, and most tokens were not. */
export const tokenUses: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql.raw("create index tokens_by_last_use on tokens (last_used_at)").execute(db);
  },
};
