import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/** When products were written by something else than a feed. */
export const writtenProducts = {
  async up(db: Kysely<Database>): Promise<void> {
    await sql`create table written_products (product_id text primary key, at integer not null)`.execute(db);
    await sql`create index written_products_at on written_products (at)`.execute(db);
  },
};
