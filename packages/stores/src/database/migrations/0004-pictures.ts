import type { Kysely } from "kysely";
import type { Database } from "../schema.ts";
import { addSerialKey } from "../serial-key.ts";

export const pictures = {
  async up(db: Kysely<Database>): Promise<void> {
    await createImages(db);
    await createPictures(db);
    await createVectors(db);
  },
};

async function createImages(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable("images")
    .addColumn("slug", "text", (column) => column.primaryKey())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("vector", "blob", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("images_expires_at").on("images").column("expires_at").execute();
}

async function createPictures(db: Kysely<Database>): Promise<void> {
  await addSerialKey(db.schema.createTable("pictures"), "id")
    .addColumn("address", "text", (column) => column.notNull().unique())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("attempts", "integer", (column) => column.notNull())
    .addColumn("due_at", "bigint", (column) => column.notNull())
    .addColumn("fetched_at", "bigint")
    .addColumn("fault", "text")
    .execute();
  await db.schema.createIndex("pictures_state").on("pictures").columns(["state", "due_at"]).execute();
  await db.schema
    .createTable("product_pictures")
    .addColumn("product_row_id", "integer", (column) => column.notNull().references("products.row_id"))
    .addColumn("picture_id", "integer", (column) => column.notNull().references("pictures.id"))
    .addPrimaryKeyConstraint("product_pictures_key", ["product_row_id", "picture_id"])
    .execute();
  await db.schema
    .createIndex("product_pictures_picture")
    .on("product_pictures")
    .column("picture_id")
    .execute();
  // One row: up to which change of the catalog the products' pictures are noted.
  await db.schema
    .createTable("pictures_noted")
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("pictures_noted").values({ sequence: 0 }).execute();
}

async function createVectors(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable("picture_vectors")
    .addColumn("picture_id", "integer", (column) => column.notNull().references("pictures.id"))
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("vector", "blob", (column) => column.notNull())
    .addColumn("etag", "text")
    .addPrimaryKeyConstraint("picture_vectors_key", ["picture_id", "model"])
    .execute();
  await addSerialKey(db.schema.createTable("vector_changes"), "sequence")
    // One row a product: a newer change replaces the older, so that the log stays as long as the catalog.
    .addColumn("product_row_id", "integer", (column) => column.notNull().unique())
    .execute();
}
