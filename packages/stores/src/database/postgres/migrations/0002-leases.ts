import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** Who does what only one node may do. The number grows with each holder: what is written carries it. */
export const leases: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql
      .raw(
        `create table leases (
           job text collate "C" primary key,
           number bigint not null,
           holder text not null,
           until timestamptz not null
         )`,
      )
      .execute(db);
  },
};
