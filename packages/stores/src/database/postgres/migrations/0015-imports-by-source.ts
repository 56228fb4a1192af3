import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** An import lease for each source. A former release goes on using the first for all of them. */
export const importsBySource: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql`alter table imports drop constraint imports_slot_check`.execute(db);
    await sql`alter table imports add constraint imports_slot_check check (slot between 1 and 3)`.execute(db);
  },
};
