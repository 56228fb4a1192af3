import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/** How tables with other columns than Google's are read. */
export const columnMaps = {
  async up(db: Kysely<Database>): Promise<void> {
    await sql`create table column_maps (source text primary key, maps text not null)`.execute(db);
  },
};
