import type { ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import { sql } from "kysely";
import type { PostgresProductImageStoreSettings } from "./postgres-settings.ts";

/** Long enough for a node that is stopped during a change of the model, and for an outage of the database. */
const usedForMs = 24 * 3600 * 1000;
const sayAgainMs = 10 * 60_000;

/** The models of all nodes. A node that is restarted with another model must not lose what others need or build. */
export function createPostgresImageModels({
  db,
  clock,
}: PostgresProductImageStoreSettings): Pick<
  ProductImageStore,
  "isDescribedBy" | "useModels" | "usedModels" | "storedModels" | "removeVectors"
> {
  const saidAtMs = new Map<string, number>();
  const isSaid = (model: string) => (saidAtMs.get(model) ?? 0) + sayAgainMs > clock.now();
  return {
    async isDescribedBy(model) {
      const found = await sql<{ isMissing: boolean }>`
        select exists (select 1 from pictures where state = 'waiting' and attempts = 0)
          or exists (select 1 from pictures where state = 'described'
            and not exists (select 1 from picture_vectors where picture_id = id and model = ${model})) as "isMissing"`.execute(
        db,
      );
      return found.rows[0]?.isMissing === false;
    },
    async useModels(models) {
      if (models.every(isSaid)) return;
      const nowMs = clock.now();
      // In the same order everywhere, so that two nodes never deadlock.
      await sql`
        insert into image_models (model, used_until)
        select model, ${nowMs + usedForMs}::bigint from unnest(${[...new Set(models)].toSorted()}::text[]) model
        on conflict (model) do update set used_until = greatest(image_models.used_until, excluded.used_until)`.execute(
        db,
      );
      for (const model of models) saidAtMs.set(model, nowMs);
    },
    async usedModels() {
      const found = await sql<{ model: string }>`
        select model from image_models where used_until > ${clock.now()}::bigint`.execute(db);
      return found.rows.map(({ model }) => model);
    },
    async storedModels() {
      const found = await sql<{ model: string }>`select distinct model from picture_vectors`.execute(db);
      return found.rows.map(({ model }) => model);
    },
    async removeVectors(model, limit) {
      const removed = await sql`
        delete from picture_vectors where model = ${model} and picture_id in
          (select picture_id from picture_vectors where model = ${model} limit ${limit})`.execute(db);
      return Number(removed.numAffectedRows ?? 0n);
    },
  };
}
