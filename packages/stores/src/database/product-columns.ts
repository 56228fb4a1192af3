import type { Selectable } from "kysely";
import type { ProductsTable } from "./schema.ts";

export type ProductRow = Selectable<ProductsTable>;

/** The columns of a product, except its row id. */
export type ProductColumns = Omit<ProductRow, "row_id">;

/** In the order of the statements' parameters. */
export const productColumns = [
  "source",
  "key",
  "id",
  "slug",
  "name",
  "brand",
  "store_name",
  "description",
  "category",
  "category_paths",
  "group_id",
  "attributes",
  "gtin",
  "mpn",
  "language",
  "url",
  "images",
  "price_minor",
  "original_price_minor",
  "availability",
  "average_rating",
  "review_count",
  "is_verified",
  "is_boosted",
  "discount_val",
  "service_score",
  "price_since",
  "created_at",
  "updated_at",
] as const satisfies readonly (keyof ProductColumns)[];
