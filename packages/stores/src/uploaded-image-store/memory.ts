import type { Clock } from "@product-search/core/ports/clock.ts";
import type { UploadedImageStore } from "@product-search/core/ports/images.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";
import { imageSlug } from "./image-slug.ts";

export interface MemoryUploadedImageStoreSettings {
  database: MemoryDatabase;
  clock: Clock;
  slugKey(): Promise<Uint8Array>;
  lifetimeMs: number;
}

export function createMemoryUploadedImageStore({
  database,
  clock,
  slugKey,
  lifetimeMs,
}: MemoryUploadedImageStoreSettings): UploadedImageStore {
  const { images } = database.tables;
  const living = (slug: string) => {
    const image = images.get(slug);
    return image && image.expiresAtMs > clock.now() ? image : undefined;
  };
  return {
    slugOf: async (bytes) => imageSlug(await slugKey(), bytes),
    keep: (kept) =>
      database.transact(() => {
        const expiresAtMs = clock.now() + lifetimeMs;
        for (const { slug, descriptor } of kept)
          images.set(slug, { model: descriptor.model, vector: [...descriptor.vector], expiresAtMs });
      }),
    renew: (slug, model) =>
      database.transact(() => {
        const image = living(slug);
        if (image?.model !== model) return false;
        images.set(slug, { ...image, expiresAtMs: clock.now() + lifetimeMs });
        return true;
      }),
    async find(slug) {
      const image = living(slug);
      return image && { model: image.model, vector: Float32Array.from(image.vector) };
    },
    removeExpired: (limit) =>
      database.transact(() => {
        const expired = images.entries().filter(([, { expiresAtMs }]) => expiresAtMs <= clock.now());
        const removed = expired.slice(0, limit);
        for (const [slug] of removed) images.delete(slug);
        return removed.length;
      }),
  };
}
