import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/** Attributes, groups and category paths of products. Existing rows gain them with their next import. */
export const productDetails = {
  async up(db: Kysely<Database>): Promise<void> {
    for (const column of ["category_paths", "group_id", "attributes", "mpn"]) {
      await db.schema.alterTable("products").addColumn(column, "text").execute();
    }
    await sql`create index products_group on products (group_id, source) where group_id is not null`.execute(
      db,
    );
  },
};
