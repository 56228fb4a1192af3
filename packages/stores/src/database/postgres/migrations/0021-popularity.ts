import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/**
 * What the products' popularity is computed from, by product, and its result. While the index is made, imports wait for about
 * a second at a million products, and everything else goes on.
 */
export const popularity: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql`alter table products add column popularity integer not null default 0`.execute(db);
    await sql`create index products_popular on products (id) where popularity > 0`.execute(db);
    await sql`create index product_events_product on product_events (product_id, day)`.execute(db);
  },
};
