import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  ImageOutcome,
  ImageProgress,
  ProductImage,
  ProductImageStore,
  ProductVectors,
  ShownImages,
  VectorChange,
} from "@product-search/core/ports/images.ts";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { fromHalfFloats, toHalfFloats } from "../database/half-floats.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import type * as Sqlite from "../database/sqlite.ts";
import { createTolerantBatch } from "../database/tolerant-batch.ts";
import { prepareImageLetters } from "./image-letters.ts";

/** A described image is fetched again when its product changes, but not more often than this. */
const freshMs = 24 * 3600 * 1000;

/** The embedded image store. One thread writes; any may read. */
export function createSqliteProductImageStore(settings: SqliteProductImageStoreSettings): ProductImageStore {
  return {
    ...createShownImages(settings),
    ...createImageQueue(settings),
    ...createVectors(settings),
    ...createImageModels(settings),
  };
}

/** The models of one node: it knows itself which ones it uses. */
function createImageModels({
  connection,
}: SqliteProductImageStoreSettings): Pick<
  ProductImageStore,
  "isDescribedBy" | "useModels" | "usedModels" | "storedModels" | "removeVectors"
> {
  const missing = connection.prepare<[string], { isMissing: number }>(
    `select exists (select 1 from pictures where state = 'waiting' and attempts = 0)
       or exists (select 1 from pictures where state = 'described'
         and not exists (select 1 from picture_vectors where picture_id = id and model = ?)) as isMissing`,
  );
  const stored = connection.prepare<[], { model: string }>("select distinct model from picture_vectors");
  const remove = connection.prepare<[string, number]>(
    "delete from picture_vectors where rowid in (select rowid from picture_vectors where model = ? limit ?)",
  );
  return {
    isDescribedBy: async (model) => missing.get(model)?.isMissing === 0,
    useModels: async () => {},
    usedModels: async () => [],
    storedModels: async () => stored.all().map(({ model }) => model),
    removeVectors: async (model, limit) => remove.run(model, limit).changes,
  };
}

/** Which products show which images. */
function createShownImages({
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

type VectorReads = Pick<
  ProductImageStore,
  "lastSequence" | "changesAfter" | "vectorsOf" | "scan" | "discardVectors"
>;

/** The vectors and the log of their changes, for vector indexes. */
function createVectors({ connection, clock }: SqliteProductImageStoreSettings): VectorReads {
  const newest = connection.prepare<[], { sequence: number | null }>(
    "select max(sequence) as sequence from vector_changes",
  );
  const after = connection.prepare<[number, number], VectorChange>(
    "select sequence, product_row_id as rowId from vector_changes where sequence > ? order by sequence limit ?",
  );
  const vectors = connection.prepare<[number, string], { vector: Uint8Array }>(
    `select vector from product_pictures join picture_vectors using (picture_id)
     where product_row_id = ? and model = ? order by picture_id`,
  );
  const products = connection.prepare<[number, string, number], { rowId: number }>(
    `select distinct product_row_id as rowId from product_pictures
     where product_row_id > ?
       and exists (select 1 from picture_vectors v where v.picture_id = product_pictures.picture_id and model = ?)
     order by product_row_id limit ?`,
  );
  const discard = prepareDiscarding(connection);
  const vectorsOf = (rowId: number, model: string): ProductVectors => ({
    rowId,
    vectors: vectors.all(rowId, model).map(({ vector }) => fromHalfFloats(vector)),
  });
  return {
    lastSequence: async () => newest.get()?.sequence ?? 0,
    changesAfter: async (sequence, limit) => after.all(sequence, limit),
    vectorsOf: async (rowIds, model) => rowIds.map((rowId) => vectorsOf(rowId, model)),
    scan: async (model, afterRowId, limit) =>
      products.all(afterRowId, model, limit).map(({ rowId }) => vectorsOf(rowId, model)),
    discardVectors: async (rowId, model, dimensions) =>
      discard.immediate(rowId, model, dimensions, clock.now()),
  };
}

/** The images stay lost until they are retried. Describing them again could produce the same invalid vector forever. */
function prepareDiscarding(connection: SqliteProductImageStoreSettings["connection"]) {
  const unusable = connection.prepare<[number, string, number], { id: number; bytes: number }>(
    `select picture_id as id, length(vector) as bytes from product_pictures join picture_vectors using (picture_id)
     where product_row_id = ? and model = ? and length(vector) <> ?`,
  );
  const remove = connection.prepare<[number, string]>(
    "delete from picture_vectors where picture_id = ? and model = ?",
  );
  const lose = connection.prepare<[string, number]>(
    "update pictures set state = 'lost', fault = ?, attempts = 0 where id = ?",
  );
  const letters = prepareImageLetters(connection);
  return connection.transaction((rowId: number, model: string, dimensions: number, nowMs: number) => {
    const wanted = dimensions * Float16Array.BYTES_PER_ELEMENT;
    for (const { id, bytes } of unusable.all(rowId, model, wanted)) {
      const fault = `Its vector is damaged: it has ${bytes} bytes instead of ${wanted}.`;
      remove.run(id, model);
      lose.run(fault, id);
      letters.add(id, fault, nowMs);
    }
  });
}

/** The queue of images to fetch and describe, and their outcomes. The service's own images are due first. */
function createImageQueue({
  connection,
  clock,
}: SqliteProductImageStoreSettings): Pick<
  ProductImageStore,
  "requeueWithout" | "due" | "record" | "progress"
> {
  const without = connection.prepare<[number, number], { id: number }>(
    "select id from pictures where id > ? order by id limit ?",
  );
  const requeue = connection.prepare<[number, number, number, string]>(
    `update pictures set state = 'waiting', attempts = 0, due_at = iif(address like '/%', 0, ?)
     where id > ? and id <= ? and state <> 'waiting'
       and not exists (select 1 from picture_vectors where picture_id = id and model = ?)`,
  );
  const due = connection.prepare<[string, number, string, number], ProductImage & { etag: string | null }>(
    `select id, address, attempts,
       (select etag from picture_vectors where picture_id = id and model = ?) as etag
     from pictures where state = 'waiting' and due_at <= ?
       and not exists (select 1 from json_each(?) where substr(address, 1, length(value)) = value)
     order by due_at limit ?`,
  );
  const counts = connection.prepare<[], { state: string; images: number }>(
    "select state, count(*) as images from pictures group by state",
  );
  const countUntried = connection.prepare<[], { images: number }>(
    "select count(*) as images from pictures where state = 'waiting' and attempts = 0",
  );
  const write = prepareRecord(connection);
  const recordError = prepareErrors(connection, write);
  const recordAll = connection.transaction(
    createTolerantBatch(
      connection,
      (outcome: ImageOutcome) => write(outcome, clock.now()),
      ({ id }, error) => recordError(id, error, clock.now()),
    ),
  );

  return {
    async requeueWithout(model, afterId, limit) {
      const last = without.all(afterId, limit).at(-1);
      if (last === undefined) return undefined;
      requeue.run(clock.now(), afterId, last.id, model);
      return last.id;
    },
    due: async (model, limit, except = []) =>
      due
        .all(model, clock.now(), JSON.stringify(except), limit)
        .map(({ etag, ...image }) => ({ ...image, ...(etag !== null && { etag }) })),
    record: async (outcomes) => recordAll.immediate(outcomes),
    async progress(): Promise<ImageProgress> {
      const byState = new Map(counts.all().map(({ state, images }) => [state, images]));
      return {
        described: byState.get("described") ?? 0,
        waiting: byState.get("waiting") ?? 0,
        untried: countUntried.get()?.images ?? 0,
        lost: byState.get("lost") ?? 0,
      };
    },
  };
}

const unrecordedPauseMs = 60_000;

/** The outcome is lost. The image is due again after a minute, and becomes a dead letter after five failures. */
function prepareErrors(
  connection: SqliteProductImageStoreSettings["connection"],
  write: Write,
): (id: number, error: unknown, nowMs: number) => void {
  const attempts = connection.prepare<[number], { attempts: number }>(
    "select attempts from pictures where id = ?",
  );
  return (id, error, nowMs) => {
    const fault = error instanceof Error ? error.message : String(error);
    const failures = (attempts.get(id)?.attempts ?? 0) + 1;
    if (failures >= maxFailures) write({ id, became: "dead", fault }, nowMs);
    else write({ id, became: "retry", afterMs: unrecordedPauseMs, fault }, nowMs);
  };
}

type Write = (outcome: ImageOutcome, nowMs: number) => void;

function prepareRecord(connection: SqliteProductImageStoreSettings["connection"]): Write {
  // No product shows the image any more: it was removed, and there is nothing to record.
  const isKept = connection.prepare<[number], unknown>("select 1 from pictures where id = ?");
  const keepVector = connection.prepare<[number, string, Uint8Array, string | null]>(
    `insert into picture_vectors (picture_id, model, vector, etag) values (?, ?, ?, ?)
     on conflict do update set vector = excluded.vector, etag = excluded.etag`,
  );
  const removeVectors = connection.prepare<[number]>("delete from picture_vectors where picture_id = ?");
  const settle = connection.prepare<[string, string | null, number, number]>(
    "update pictures set state = ?, fault = ?, attempts = 0, fetched_at = ? where id = ?",
  );
  const retry = connection.prepare<[string, number, number]>(
    "update pictures set fault = ?, attempts = attempts + 1, due_at = ? where id = ?",
  );
  const touch = connection.prepare<[number]>(
    `insert or replace into vector_changes (product_row_id)
     select product_row_id from product_pictures where picture_id = ?`,
  );
  const letters = prepareImageLetters(connection);
  const lose = (id: number, fault: string, nowMs: number) => {
    removeVectors.run(id);
    settle.run("lost", fault, nowMs, id);
    touch.run(id);
  };
  return (outcome, nowMs) => {
    const { id } = outcome;
    if (!isKept.get(id)) return;
    switch (outcome.became) {
      case "described": {
        const { model, vector } = outcome.descriptor;
        keepVector.run(id, model, toHalfFloats(vector), outcome.etag ?? null);
        settle.run("described", null, nowMs, id);
        letters.remove(id);
        touch.run(id);
        return;
      }
      case "unchanged":
        settle.run("described", null, nowMs, id);
        return;
      case "retry":
        retry.run(outcome.fault, nowMs + outcome.afterMs, id);
        return;
      case "dead":
        letters.add(id, outcome.fault, nowMs);
        lose(id, outcome.fault, nowMs);
        return;
      case "lost":
        lose(id, outcome.fault, nowMs);
        return;
    }
  };
}

interface SqliteProductImageStoreSettings {
  /** Used only by this store: while it writes, no other code may have a transaction open on this connection. */
  connection: Sqlite.Database;
  clock: Clock;
}
