import type { ProductImageStore, ShownImages } from "@product-search/core/ports/product-image-store.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import { createTolerantBatch } from "../database/tolerant-batch.ts";
import type { SqliteProductImageStoreSettings } from "./sqlite-settings.ts";

/** A described image is fetched again when its product changes, but not more often than this. */
const freshMs = 24 * 3600 * 1000;

/** Which products show which images. */
export function createShownImages({
  connection,
  clock,
}: SqliteProductImageStoreSettings): Pick<ProductImageStore, "notedSequence" | "note"> {
  const noted = connection.prepare<[], { sequence: number }>("select sequence from pictures_noted");
  const setNoted = connection.prepare<[number]>("update pictures_noted set sequence = ?");
  const shown = connection.prepare<[number], { id: number; address: string }>(
    `select id, address from product_pictures join pictures on id = picture_id where product_row_id = ?`,
  );
  const known = connection.prepare<[string], { id: number }>("select id from pictures where address = ?");
  const add = connection.prepare<[string, number]>(
    "insert into pictures (address, state, attempts, due_at) values (?, 'waiting', 0, ?)",
  );
  const show = connection.prepare<[number, number]>(
    "insert or ignore into product_pictures (product_row_id, picture_id) values (?, ?)",
  );
  const hide = connection.prepare<[number, number]>(
    "delete from product_pictures where product_row_id = ? and picture_id = ?",
  );
  const isShown = connection.prepare<[number], unknown>(
    "select 1 from product_pictures where picture_id = ? limit 1",
  );
  const removeVectors = connection.prepare<[number]>("delete from picture_vectors where picture_id = ?");
  const remove = connection.prepare<[number]>("delete from pictures where id = ?");
  const lookAgain = connection.prepare<[number, number, number]>(
    `update pictures set state = 'waiting', attempts = 0, due_at = iif(address like '/%', 0, ?)
     where id = ? and state <> 'waiting' and (state = 'lost' or fetched_at < ?)`,
  );
  const touch = connection.prepare<[number]>(
    "insert or replace into vector_changes (product_row_id) values (?)",
  );

  function imageAt(address: string, nowMs: number): number {
    return (
      known.get(address)?.id ?? Number(add.run(address, address.startsWith("/") ? 0 : nowMs).lastInsertRowid)
    );
  }

  function noteProduct({ rowId, addresses }: ShownImages, nowMs: number): void {
    const before = shown.all(rowId);
    const wanted = new Set(addresses);
    const gone = before.filter(({ address }) => !wanted.has(address));
    for (const { id } of gone) {
      hide.run(rowId, id);
      if (isShown.get(id)) continue;
      removeVectors.run(id);
      remove.run(id);
    }
    let added = 0;
    for (const address of wanted) {
      const id = imageAt(address, nowMs);
      added += show.run(rowId, id).changes;
      lookAgain.run(nowMs, id, nowMs - freshMs);
    }
    if (gone.length + added > 0) touch.run(rowId);
  }

  const addDeadLetter = prepareDeadLetter(connection);
  const productIdOf = connection.prepare<[number], { id: string }>(
    "select id from products where row_id = ?",
  );
  const noteEach = createTolerantBatch(
    connection,
    (product: ShownImages) => noteProduct(product, clock.now()),
    ({ rowId }, error) => {
      const item = productIdOf.get(rowId)?.id;
      if (item !== undefined)
        addDeadLetter({ queue: "products", item, error, failures: 1, atMs: clock.now() });
    },
  );
  const noteAll = connection.transaction((products: readonly ShownImages[], sequence: number) => {
    noteEach(products);
    setNoted.run(sequence);
  });
  return {
    notedSequence: async () => noted.get()?.sequence ?? 0,
    note: async (products, catalogSequence) => noteAll.immediate(products, catalogSequence),
  };
}
