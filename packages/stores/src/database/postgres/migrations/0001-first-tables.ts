import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";
import { accountTables } from "./tables/accounts.ts";
import { catalogTables } from "./tables/catalog.ts";
import { imageTables } from "./tables/images.ts";
import { webhookTables } from "./tables/webhooks.ts";

/**
 * The tables that the migrations of SQLite end with. Text is compared by its bytes, as there, whatever the language of the
 * database; keys may be given, for copies.
 */
export const firstTables: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    for (const tables of [accountTables, catalogTables, webhookTables, imageTables]) {
      await sql.raw(tables).execute(db);
    }
  },
};
