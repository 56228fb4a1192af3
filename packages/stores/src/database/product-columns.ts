import type { Selectable } from "kysely";
import type { ProductsTable } from "./schema.ts";

export type ProductRow = Selectable<ProductsTable>;

/** The columns that imports write. */
export type ProductColumns = Omit<ProductRow, "row_id" | "popularity">;

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

/** Those that copies of the catalog have. */
export const copiedColumns = [...productColumns, "popularity"] as const;
