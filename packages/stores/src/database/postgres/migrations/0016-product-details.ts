import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/**
 * Attributes, groups and category paths of products. Existing rows gain them with their next import, so the index is empty at
 * first; while it is made, imports wait for about a second at a million products, and everything else goes on.
 */
export const productDetails: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql`alter table products add column category_paths text, add column group_id text collate "C",
      add column attributes text, add column mpn text`.execute(db);
    await sql`create index products_group on products (group_id, source) where group_id is not null`.execute(
      db,
    );
  },
};
