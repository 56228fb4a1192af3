import type { ProductImage, ProductImageStore } from "@product-search/core/ports/product-image-store.ts";
import { sql } from "kysely";
import { recordOutcomes } from "./postgres-record.ts";
import type { PostgresProductImageStoreSettings } from "./postgres-settings.ts";

/** The queue of images to fetch and describe, and their outcomes. The service's own images are due first. */
export function createPostgresImageQueue({
  db,
  clock,
}: PostgresProductImageStoreSettings): Pick<
  ProductImageStore,
  "requeueWithout" | "due" | "record" | "progress"
> {
  return {
    async requeueWithout(model, afterId, limit) {
      const page = await db
        .selectFrom("pictures")
        .select("id")
        .where("id", ">", afterId)
        .orderBy("id")
        .limit(limit)
        .execute();
      const last = page.at(-1);
      if (last === undefined) return undefined;
      await sql`
        update pictures set state = 'waiting', attempts = 0,
          due_at = case when address like '/%' then 0 else ${clock.now()}::bigint end
        where id > ${afterId} and id <= ${last.id} and state <> 'waiting'
          and not exists (select 1 from picture_vectors where picture_id = id and model = ${model})`.execute(
        db,
      );
      return last.id;
    },
    async due(model, limit) {
      const found = await sql<ProductImage & { etag: string | null }>`
        select id, address, attempts,
          (select etag from picture_vectors where picture_id = id and model = ${model}) as etag
        from pictures where state = 'waiting' and due_at <= ${clock.now()}::bigint
        order by due_at, id limit ${limit}`.execute(db);
      return found.rows.map(({ etag, ...image }) => ({ ...image, ...(etag !== null && { etag }) }));
    },
    record: (outcomes) => recordOutcomes(db, outcomes, clock.now()),
    async progress() {
      const counted = await sql<Record<"described" | "waiting" | "untried" | "lost", number>>`
        select count(*) filter (where state = 'described') as described,
          count(*) filter (where state = 'waiting') as waiting,
          count(*) filter (where state = 'waiting' and attempts = 0) as untried,
          count(*) filter (where state = 'lost') as lost from pictures`.execute(db);
      return counted.rows[0] ?? { described: 0, waiting: 0, untried: 0, lost: 0 };
    },
  };
}
