import { createHmac } from "node:crypto";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { UploadedImageStore } from "@product-search/core/ports/images.ts";
import type { Kysely } from "kysely";
import { fromHalfFloats, toHalfFloats } from "../database/half-floats.ts";
import type { Database } from "../database/schema.ts";

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

/** 144 bits, as 24 characters. */
const slugBytes = 18;

/** So much is hashed before others have their turn: 2 to 4 ms. */
const pieceBytes = 1024 * 1024;

/** A keyed hash of an image's bytes. It can be computed with the deployment's key and cannot be guessed without it. */
async function imageSlug(slugKey: Uint8Array, bytes: Uint8Array): Promise<string> {
  const hash = createHmac("sha256", slugKey);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await letOthersCome();
    hash.update(bytes.subarray(at, at + pieceBytes));
  }
  return `img_${hash.digest().subarray(0, slugBytes).toString("base64url")}`;
}
