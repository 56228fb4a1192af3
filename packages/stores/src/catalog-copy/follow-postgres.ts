import { pause } from "@product-search/core/mechanisms/retry.ts";
import { type Kysely, sql } from "kysely";
import type { ChangeLog } from "../database/postgres/number-changes.ts";
import { copiedColumns, type ProductRow } from "../database/product-columns.ts";
import type { Database } from "../database/schema.ts";
import type * as Sqlite from "../database/sqlite.ts";
import type { CatalogCopy, Place } from "./open-catalog-copy.ts";

/** Small enough for a transaction of some milliseconds on the copy. */
const batchSize = 500;

export interface FollowPostgresSettings {
  db: Kysely<Database>;
  copy: CatalogCopy;
  pollMs?: number;
  /** After this time without a reply, PostgreSQL counts as unreachable until it replies. Default: 1 s. */
  silentMs?: number;
  /** Called after every poll of PostgreSQL. */
  onState(state: FollowState): void;
}

export interface FollowState {
  /** Why PostgreSQL could not be read; undefined if it could. */
  error: unknown;
  /** The number of changes until the whole catalog has been copied for the first time; undefined afterwards. */
  missing: number | undefined;
  /** The copy started again: the database was restored to an earlier state, is another one, or has more columns. */
  hasBegunAnew: boolean;
}

export interface CopyFollower {
  stop(): Promise<void>;
}

interface Head {
  /** The sequence of the newest change. */
  last: number;
  /** The mark that PostgreSQL has where the copy's own mark stands. */
  mark: string | null;
}

const defaultSilentMs = 1_000;

const logs: readonly ChangeLog[] = ["changes", "vector_changes"];

/** Keeps the copy up to date by polling PostgreSQL. Continues when it cannot be reached. */
export function followPostgres(settings: FollowPostgresSettings): CopyFollower {
  const { copy, pollMs = 100, silentMs = defaultSilentMs, onState } = settings;
  let silent: NodeJS.Timeout | undefined;
  // Each reply counts, not only the last one of a step.
  const db = settings.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      silent?.refresh();
      return result;
    },
  });
  const stopping = new AbortController();
  const copyBatch: Record<ChangeLog, CopyBatch> = {
    changes: createProductCopying(copy.connection),
    vector_changes: createVectorCopying(copy.connection),
  };

  async function step(): Promise<{ isBusy: boolean } & Omit<FollowState, "error">> {
    const heads = await readHeads(db, copy);
    const hasBegunAnew = !copy.hasAllColumns() || logs.some((log) => isAnother(copy, log, heads[log]));
    if (hasBegunAnew) copy.beginAnew();
    let missing = 0;
    for (const log of logs) {
      const left = heads[log].last - copy.place(log).sequence;
      missing += Math.max(0, left);
      if (left > 0) await copyNext(db, copy, log, copyBatch[log]);
    }
    const isBusy = logs.some((log) => copy.place(log).sequence < heads[log].last);
    if (!isBusy && !copy.state().isComplete) copy.setComplete();
    return {
      isBusy,
      missing: copy.state().isComplete ? undefined : missing,
      hasBegunAnew,
    };
  }
  function reportError(error: unknown): void {
    const missing = copy.state().isComplete ? undefined : 0;
    onState({ error, missing, hasBegunAnew: false });
  }
  const following = (async () => {
    const { signal } = stopping;
    while (!signal.aborted) {
      let isBusy = false;
      let silence: Error | undefined;
      silent = setTimeout(() => {
        silence = new Error("PostgreSQL does not respond.");
        reportError(silence);
      }, silentMs);
      try {
        const { isBusy: hasMore, ...state } = await step();
        isBusy = hasMore;
        // Reached again only when it responds in time: else this would change with every step.
        onState({ ...state, error: silence });
      } catch (error) {
        reportError(error);
      } finally {
        clearTimeout(silent);
      }
      if (!isBusy) await pause(pollMs, signal);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return following;
    },
  };
}

async function readHeads(db: Kysely<Database>, copy: CatalogCopy): Promise<Record<ChangeLog, Head>> {
  const known = logs.map((log) => copy.place(log).place?.sequence ?? 0);
  const found = await sql<Head & { log: string }>`
    select c.log, c.last, m.mark from unnest(${logs}::text[], ${known}::bigint[]) k (log, sequence)
    join change_counters c on c.log = k.log
    left join change_marks m on m.log = k.log and m.sequence = k.sequence`.execute(db);
  const headOf = (log: ChangeLog): Head => {
    const head = found.rows.find((row) => row.log === log);
    if (head === undefined) throw new Error(`The counter of the change log "${log}" is missing.`);
    return head;
  };
  return { changes: headOf("changes"), vector_changes: headOf("vector_changes") };
}

/**
 * Whether the log differs from the copied one: it is shorter, or has other changes with the same sequences. This is
 * so after the database was restored from a backup. A missing mark that is too old counts too, because the changes
 * since are unknown.
 */
function isAnother(copy: CatalogCopy, log: ChangeLog, head: Head): boolean {
  const { sequence, place: known } = copy.place(log);
  if (sequence > head.last) return true;
  return known !== undefined && known.mark !== head.mark;
}

async function copyNext(
  db: Kysely<Database>,
  copy: CatalogCopy,
  log: ChangeLog,
  read: CopyBatch,
): Promise<void> {
  const { sequence } = copy.place(log);
  const batch = await db
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute((snapshot) => readBatch(snapshot, copy, log, read));
  if (batch === undefined) return;
  copy.connection
    .transaction(() => {
      // Another process on the same folder was faster: what was read here may be older than what it wrote.
      if (copy.place(log).sequence !== sequence) return;
      batch.write();
      copy.setPlace(log, batch.place);
    })
    .immediate();
}

interface Batch {
  write(): void;
  place: Place | undefined;
}

async function readBatch(
  snapshot: Kysely<Database>,
  copy: CatalogCopy,
  log: ChangeLog,
  read: CopyBatch,
): Promise<Batch | undefined> {
  // Since the step began, another server may have taken over. The next step notices and begins anew.
  const heads = await readHeads(snapshot, copy);
  if (isAnother(copy, log, heads[log])) return undefined;
  const changes = await sql<ChangeRow>`
    select sequence, product_row_id as "rowId" from ${sql.table(log)}
    where sequence > ${copy.place(log).sequence} order by sequence limit ${batchSize}`.execute(snapshot);
  const last = changes.rows.at(-1);
  if (last === undefined) return undefined;
  const write = await read(snapshot, changes.rows);
  // The mark of a transaction stands at its last change, which may come after this batch.
  const marks = await sql<Place>`
    select sequence, mark from change_marks where log = ${log} and sequence >= ${last.sequence}
    order by sequence limit 1`.execute(snapshot);
  return { write, place: marks.rows[0] };
}

interface ShownRow {
  rowId: number;
  imageId: number;
}

interface VectorRow {
  imageId: number;
  model: string;
  vector: Uint8Array;
  etag: string | null;
}

/** The current images of the products, and all vectors of these images. */
function createVectorCopying(connection: Sqlite.Database): CopyBatch {
  const shown = connection.prepare<[number], { imageId: number }>(
    "select picture_id as imageId from product_pictures where product_row_id = ?",
  );
  const hideAll = connection.prepare<[number]>("delete from product_pictures where product_row_id = ?");
  const show = connection.prepare<[number, number]>(
    "insert or ignore into product_pictures (product_row_id, picture_id) values (?, ?)",
  );
  const removeVectors = connection.prepare<[number]>("delete from picture_vectors where picture_id = ?");
  const isShown = connection.prepare<[number], unknown>(
    "select 1 from product_pictures where picture_id = ? limit 1",
  );
  const addVector = connection.prepare<[number, string, Uint8Array, string | null]>(
    "insert or replace into picture_vectors (picture_id, model, vector, etag) values (?, ?, ?, ?)",
  );
  const addChange = connection.prepare<[number, number]>(
    "insert or replace into vector_changes (sequence, product_row_id) values (?, ?)",
  );

  return async (snapshot, changes) => {
    const rowIds = changes.map(({ rowId }) => rowId);
    const images = await sql<ShownRow>`
      select product_row_id as "rowId", picture_id as "imageId" from product_pictures
      where product_row_id = any(${rowIds}::bigint[])`.execute(snapshot);
    const imageIds = [...new Set(images.rows.map(({ imageId }) => imageId))];
    const vectors = await sql<VectorRow>`
      select picture_id as "imageId", model, vector, etag from picture_vectors
      where picture_id = any(${imageIds}::bigint[])`.execute(snapshot);
    return () => {
      const former = rowIds.flatMap((rowId) => shown.all(rowId).map(({ imageId }) => imageId));
      for (const rowId of rowIds) hideAll.run(rowId);
      for (const { rowId, imageId } of images.rows) show.run(rowId, imageId);
      for (const imageId of imageIds) removeVectors.run(imageId);
      for (const imageId of new Set(former)) if (!isShown.get(imageId)) removeVectors.run(imageId);
      for (const { imageId, model, vector, etag } of vectors.rows)
        addVector.run(imageId, model, vector, etag);
      for (const { sequence, rowId } of changes) addChange.run(sequence, rowId);
    };
  };
}

interface ChangeRow {
  sequence: number;
  rowId: number;
}

interface PriceRow {
  id: number;
  product_row_id: number;
  price_minor: number;
  at: number;
}

/**
 * Reads the changed products from PostgreSQL in the snapshot that the changes are from. The result writes them in the open
 * transaction of the copy.
 */
type CopyBatch = (snapshot: Kysely<Database>, changes: readonly ChangeRow[]) => Promise<() => void>;

/** The current products, and their new prices since they were copied last. */
function createProductCopying(connection: Sqlite.Database): CopyBatch {
  const columns = ["row_id", ...copiedColumns];
  const upsert = connection.prepare(
    `insert into products (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})
     on conflict (row_id) do update set ${copiedColumns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
  );
  const remove = connection.prepare<[number]>("delete from products where row_id = ?");
  const removePrices = connection.prepare<[number]>("delete from price_history where product_row_id = ?");
  const addPrice = connection.prepare<[number, number, number, number]>(
    "insert or ignore into price_history (id, product_row_id, price_minor, at) values (?, ?, ?, ?)",
  );
  const lastPrice = connection
    .prepare<[number], number>("select coalesce(max(id), 0) from price_history where product_row_id = ?")
    .pluck();
  const addChange = connection.prepare<[number, number]>(
    "insert or replace into changes (sequence, product_row_id) values (?, ?)",
  );

  return async (snapshot, changes) => {
    const rowIds = changes.map(({ rowId }) => rowId);
    const lastPrices = rowIds.map((rowId) => lastPrice.get(rowId) ?? 0);
    const products = await sql<ProductRow>`
      select * from products where row_id = any(${rowIds}::bigint[])`.execute(snapshot);
    const prices = await sql<PriceRow>`
      select h.id, h.product_row_id, h.price_minor, h.at
      from unnest(${rowIds}::bigint[], ${lastPrices}::bigint[]) wanted (row_id, last_id)
      join price_history h on h.product_row_id = wanted.row_id and h.id > wanted.last_id`.execute(snapshot);
    return () => {
      const present = new Set(products.rows.map(({ row_id }) => row_id));
      for (const rowId of rowIds) {
        if (present.has(rowId)) continue;
        removePrices.run(rowId);
        remove.run(rowId);
      }
      for (const row of products.rows) {
        const cells: Readonly<Record<string, unknown>> = row;
        upsert.run(columns.map((column) => cells[column]));
      }
      for (const { id, product_row_id, price_minor, at } of prices.rows)
        addPrice.run(id, product_row_id, price_minor, at);
      for (const { sequence, rowId } of changes) addChange.run(sequence, rowId);
    };
  };
}
