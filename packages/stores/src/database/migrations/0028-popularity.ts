import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/** What the products' popularity is computed from, by product, and its result. */
export const popularity = {
  async up(db: Kysely<Database>): Promise<void> {
    await sql`alter table products add column popularity integer not null default 0`.execute(db);
    await sql`create index products_popular on products (id) where popularity > 0`.execute(db);
    await sql`create index product_events_product on product_events (product_id, day)`.execute(db);
  },
};
