import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** When the last requests were sent to a marketplace, for its quota per second. Not logged: it matters for a second. */
export const marketplaceTurns: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql
      .raw(
        `create unlogged table marketplace_turns (
           marketplace text collate "C" primary key,
           sent bigint[] not null,
           at bigint not null
         )`,
      )
      .execute(db);
  },
};
