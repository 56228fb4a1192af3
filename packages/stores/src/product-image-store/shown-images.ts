import type { Clock } from "@product-search/core/ports/clock.ts";
import type { ProductImageStore, ShownImages } from "@product-search/core/ports/images.ts";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { addDeadLetter } from "../database/new-dead-letter.ts";
import type { Database } from "../database/schema.ts";
import { inSavepoint, transact } from "../database/transact.ts";

/** A described image is fetched again when its product changes, but not more often than this. */
const freshMs = 24 * 3600 * 1000;

export interface ImageStoreDeps {
  db: Kysely<Database>;
  clock: Clock;
  dialect: ImageDialect;
}

/** What the two databases do in ways of their own. */
export interface ImageDialect {
  /** The items of a list of JSON, as a table `item` with `value`, and `key` for their order. */
  items(json: string): RawBuilder<unknown>;
  /** Appends the products to the log of changes, in the given order. Call it last in the transaction. */
  addChanges(transaction: Kysely<Database>, rowIds: readonly number[]): Promise<unknown>;
  lastSequence(db: Kysely<Database>): Promise<number>;
}

/** Which products show which images. */
export function createShownImages({
  db,
  clock,
  dialect,
}: ImageStoreDeps): Pick<ProductImageStore, "notedSequence" | "note"> {
  return {
    async notedSequence() {
      const noted = await db.selectFrom("pictures_noted").select("sequence").executeTakeFirst();
      return noted?.sequence ?? 0;
    },
    note: (products, catalogSequence) =>
      transact(db, async (transaction) => {
        // SQLite needs a write first.
        await transaction.updateTable("pictures_noted").set({ sequence: catalogSequence }).execute();
        const changed = await noteTolerantly({ transaction, dialect, nowMs: clock.now() }, products);
        await dialect.addChanges(transaction, changed);
      }),
  };
}

interface Noting {
  transaction: Kysely<Database>;
  dialect: ImageDialect;
  nowMs: number;
}

/** The products whose images changed. All in one statement each; if that fails, one product after the other. */
function noteTolerantly(noting: Noting, products: readonly ShownImages[]): Promise<number[]> {
  const { transaction, nowMs } = noting;
  const noteEach = async () => {
    const changed: number[] = [];
    for (const product of products) {
      const noted = await inSavepoint(
        transaction,
        () => noteProducts(noting, [product]),
        (error) => passOver(transaction, product.rowId, error, nowMs),
      );
      changed.push(...noted);
    }
    return changed;
  };
  return inSavepoint(transaction, () => noteProducts(noting, products), noteEach);
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

async function noteProducts(noting: Noting, products: readonly ShownImages[]): Promise<number[]> {
  if (products.length === 0) return [];
  const addresses = [...new Set(products.flatMap((product) => product.addresses))];
  const known = noting.dialect.items(JSON.stringify(addresses.map((address) => ({ address }))));
  await addImages(noting, known);
  const changed = await showImages(noting, products);
  await lookAgain(noting, known);
  return products.flatMap(({ rowId }) => (changed.has(rowId) ? [rowId] : []));
}

/** The service's own images are due first. */
export const dueAt = (nowMs: number) =>
  sql`case when address like '/%' then 0 else cast(${nowMs} as bigint) end`;

/** In the given order. Existing addresses do not use up numbers. */
async function addImages({ transaction, nowMs }: Noting, items: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into pictures (address, state, attempts, due_at)
    select address, 'waiting', 0, ${dueAt(nowMs)} from (select value ->> 'address' as address, key from ${items}) as shown
    where not exists (select 1 from pictures p where p.address = shown.address)
    order by key on conflict (address) do nothing`.execute(transaction);
}

/** Returns the products whose images changed. Removes images that no product shows any more. */
async function showImages(
  { transaction, dialect }: Noting,
  products: readonly ShownImages[],
): Promise<Set<number>> {
  const pairs = products.flatMap(({ rowId, addresses }) => addresses.map((address) => ({ rowId, address })));
  const shown = sql`
    select cast(value ->> 'rowId' as bigint), p.id from ${dialect.items(JSON.stringify(pairs))}
    join pictures p on p.address = value ->> 'address' where true`;
  const added = await sql<{ rowId: number }>`
    insert into product_pictures (product_row_id, picture_id) ${shown}
    on conflict do nothing returning product_row_id as "rowId"`.execute(transaction);
  const gone = await sql<{ rowId: number; imageId: number }>`
    delete from product_pictures where product_row_id in (${sql.join(products.map(({ rowId }) => rowId))})
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
  const isUnshown = (id: string) => sql`
    where ${sql.ref(id)} in (${sql.join(imageIds)})
      and not exists (select 1 from product_pictures s where s.picture_id = ${sql.ref(id)})`;
  await sql`delete from picture_vectors ${isUnshown("picture_vectors.picture_id")}`.execute(transaction);
  await sql`delete from pictures ${isUnshown("pictures.id")}`.execute(transaction);
}

async function lookAgain({ transaction, nowMs }: Noting, items: RawBuilder<unknown>): Promise<void> {
  await sql`
    update pictures set state = 'waiting', attempts = 0, due_at = ${dueAt(nowMs)}
    where address in (select value ->> 'address' from ${items}) and state <> 'waiting'
      and (state = 'lost' or fetched_at < ${nowMs - freshMs})`.execute(transaction);
}
