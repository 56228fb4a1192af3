import type { Clock } from "@product-search/core/ports/clock.ts";
import type { UploadedImageStore } from "@product-search/core/ports/images.ts";
import type { Kysely } from "kysely";
import { fromHalfFloats, toHalfFloats } from "../database/half-floats.ts";
import type { Database } from "../database/schema.ts";
import { imageSlug } from "./image-slug.ts";

export interface SqlUploadedImageStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
  /** Secret of the deployment: slugs are computed from it and cannot be guessed without it. */
  slugKey(): Promise<Uint8Array>;
  lifetimeMs: number;
}

export function createSqlUploadedImageStore({
  db,
  clock,
  slugKey,
  lifetimeMs,
}: SqlUploadedImageStoreSettings): UploadedImageStore {
  return {
    slugOf: async (bytes) => imageSlug(await slugKey(), bytes),

    async keep(images) {
      if (images.length === 0) return;
      const expiresAt = clock.now() + lifetimeMs;
      await db
        .insertInto("images")
        .values(
          images.map(({ slug, descriptor: { model, vector } }) => ({
            slug,
            model,
            vector: toHalfFloats(vector),
            expires_at: expiresAt,
          })),
        )
        .onConflict((conflict) =>
          conflict.column("slug").doUpdateSet((row) => ({
            model: row.ref("excluded.model"),
            vector: row.ref("excluded.vector"),
            expires_at: row.ref("excluded.expires_at"),
          })),
        )
        .execute();
    },

    async renew(slug, model) {
      const { numUpdatedRows } = await db
        .updateTable("images")
        .set({ expires_at: clock.now() + lifetimeMs })
        .where("slug", "=", slug)
        .where("model", "=", model)
        .where("expires_at", ">", clock.now())
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async find(slug) {
      const row = await db
        .selectFrom("images")
        .select(["model", "vector"])
        .where("slug", "=", slug)
        .where("expires_at", ">", clock.now())
        .executeTakeFirst();
      return row && { model: row.model, vector: fromHalfFloats(row.vector) };
    },

    async removeExpired(limit) {
      const expired = db
        .selectFrom("images")
        .select("slug")
        .where("expires_at", "<=", clock.now())
        .orderBy("expires_at")
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom("images")
        .where("slug", "in", expired)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
