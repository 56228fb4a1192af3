import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** A crash of the server empties unlogged tables: all nodes then spent the limits of the current windows once more. */
export const keptRateBudgets: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql`alter table rate_windows set logged`.execute(db);
    await sql`alter table rate_nodes set logged`.execute(db);
  },
};
