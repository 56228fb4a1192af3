import { type Kysely, sql } from "kysely";
import type { Database } from "../schema.ts";

/**
 * Products can be removed. Which images they show is recorded later, from the change log, so for a moment it still names
 * removed products: the reference has to go. SQLite drops no constraint: the table is made anew.
 */
export const productRemoval = {
  async up(db: Kysely<Database>): Promise<void> {
    await db.schema
      .createTable("shown_pictures")
      .addColumn("product_row_id", "integer", (column) => column.notNull())
      .addColumn("picture_id", "integer", (column) => column.notNull().references("pictures.id"))
      .addPrimaryKeyConstraint("shown_pictures_key", ["product_row_id", "picture_id"])
      .execute();
    await sql`insert into shown_pictures (product_row_id, picture_id)
      select product_row_id, picture_id from product_pictures order by product_row_id, picture_id`.execute(
      db,
    );
    await db.schema.dropTable("product_pictures").execute();
    await db.schema.alterTable("shown_pictures").renameTo("product_pictures").execute();
    await db.schema
      .createIndex("product_pictures_picture")
      .on("product_pictures")
      .column("picture_id")
      .execute();
  },
};
