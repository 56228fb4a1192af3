import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ProductImageStore, ShownImages } from "@product-search/core/ports/images.ts";
import { type Kysely, sql } from "kysely";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import { inSavepoint } from "../database/postgres/in-savepoint.ts";
import { numberChanges } from "../database/postgres/number-changes.ts";
import type { Database } from "../database/schema.ts";

/** A described image is fetched again when its product changes, but not more often than this. */
const freshMs = 24 * 3600 * 1000;

/** Which products show which images. */
export function createPostgresShownImages({
  db,
  clock,
}: PostgresProductImageStoreSettings): Pick<ProductImageStore, "notedSequence" | "note"> {
  return {
    async notedSequence() {
      const noted = await db.selectFrom("pictures_noted").select("sequence").executeTakeFirst();
      return noted?.sequence ?? 0;
    },
    note: (products, catalogSequence) =>
      db.transaction().execute(async (transaction) => {
        const changed = await noteTolerantly(transaction, products, clock.now());
        await transaction.updateTable("pictures_noted").set({ sequence: catalogSequence }).execute();
        await numberChanges(transaction, "vector_changes", changed);
      }),
  };
}

/** The products whose images changed. All in one transaction; if that fails, one after the other. */
function noteTolerantly(
  transaction: Kysely<Database>,
  products: readonly ShownImages[],
  nowMs: number,
): Promise<number[]> {
  const noteEach = async () => {
    const changed: number[] = [];
    for (const product of products) {
      const noted = await inSavepoint(
        transaction,
        () => noteProducts(transaction, [product], nowMs),
        (error) => passOver(transaction, product.rowId, error, nowMs),
      );
      changed.push(...noted);
    }
    return changed;
  };
  return inSavepoint(transaction, () => noteProducts(transaction, products, nowMs), noteEach);
}

async function passOver(
  transaction: Kysely<Database>,
  rowId: number,
  error: unknown,
  atMs: number,
): Promise<number[]> {
  const product = await transaction
    .selectFrom("products")
    .select("id")
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  if (product !== undefined)
    await addDeadLetter(transaction, { queue: "products", item: product.id, error, failures: 1, atMs });
  return [];
}

async function noteProducts(
  transaction: Kysely<Database>,
  products: readonly ShownImages[],
  nowMs: number,
): Promise<number[]> {
  if (products.length === 0) return [];
  const addresses = [...new Set(products.flatMap((product) => product.addresses))];
  await addImages(transaction, addresses, nowMs);
  const changed = await showImages(transaction, products);
  await lookAgain(transaction, addresses, nowMs);
  return products.flatMap(({ rowId }) => (changed.has(rowId) ? [rowId] : []));
}

/** In the given order. Existing addresses do not use up numbers. */
async function addImages(
  transaction: Kysely<Database>,
  addresses: readonly string[],
  nowMs: number,
): Promise<void> {
  await sql`
    insert into pictures (address, state, attempts, due_at)
    select address, 'waiting', 0, case when address like '/%' then 0 else ${nowMs}::bigint end
    from unnest(${addresses}::text[]) with ordinality wanted (address, place)
    where not exists (select 1 from pictures p where p.address = wanted.address)
    order by place on conflict (address) do nothing`.execute(transaction);
}

/** Returns the products whose images changed. Removes images that no product shows any more. */
async function showImages(
  transaction: Kysely<Database>,
  products: readonly ShownImages[],
): Promise<Set<number>> {
  const wanted = products.flatMap(({ rowId, addresses }) => addresses.map((address) => ({ rowId, address })));
  const [rowIds, addresses] = [wanted.map(({ rowId }) => rowId), wanted.map(({ address }) => address)];
  const shown = sql`
    select w.row_id, p.id from unnest(${rowIds}::bigint[], ${addresses}::text[]) w (row_id, address)
    join pictures p on p.address = w.address`;
  const added = await sql<{ rowId: number }>`
    insert into product_pictures (product_row_id, picture_id) ${shown}
    on conflict do nothing returning product_row_id as "rowId"`.execute(transaction);
  const gone = await sql<{ rowId: number; imageId: number }>`
    delete from product_pictures where product_row_id = any(${products.map(({ rowId }) => rowId)}::bigint[])
      and (product_row_id, picture_id) not in (${shown})
    returning product_row_id as "rowId", picture_id as "imageId"`.execute(transaction);
  await removeUnshown(
    transaction,
    gone.rows.map(({ imageId }) => imageId),
  );
  return new Set([...added.rows, ...gone.rows].map(({ rowId }) => rowId));
}

async function removeUnshown(transaction: Kysely<Database>, imageIds: readonly number[]): Promise<void> {
  if (imageIds.length === 0) return;
  const isUnshown = sql`
    = any(${imageIds}::bigint[]) and not exists (select 1 from product_pictures s where s.picture_id = `;
  await sql`delete from picture_vectors v where v.picture_id ${isUnshown} v.picture_id)`.execute(transaction);
  await sql`delete from pictures p where p.id ${isUnshown} p.id)`.execute(transaction);
}

async function lookAgain(
  transaction: Kysely<Database>,
  addresses: readonly string[],
  nowMs: number,
): Promise<void> {
  await sql`
    update pictures set state = 'waiting', attempts = 0,
      due_at = case when address like '/%' then 0 else ${nowMs}::bigint end
    where address = any(${addresses}::text[]) and state <> 'waiting'
      and (state = 'lost' or fetched_at < ${nowMs - freshMs}::bigint)`.execute(transaction);
}

export interface PostgresProductImageStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
}
