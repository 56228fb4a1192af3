import { randomUUID } from "node:crypto";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import type { ChangeLog } from "../database/postgres/number-changes.ts";
import { copiedColumns } from "../database/product-columns.ts";

/** A position in a change log: the sequence of a change and the random mark of the transaction that wrote it. */
export interface Place {
  sequence: number;
  mark: string;
}

export interface CopyState {
  /** Changes each time the copy starts again: data derived from a former copy must not be used. */
  epoch: string;
  /** Whether the whole catalog has been copied once. */
  isComplete: boolean;
}

/**
 * A node's copy of the catalog on its own disk, in tables like those of SQLite: products with their prices, the
 * vectors of their images, and both change logs with the sequences of PostgreSQL. Searches and indexes read it, so
 * that they cause no load on PostgreSQL and work without it.
 */
export interface CatalogCopy extends Pick<OpenDatabase, "db" | "connection" | "untilChange"> {
  state(): CopyState;
  /** False if a release that did not know all of today's columns wrote the copy: their values are missing in it. */
  hasAllColumns(): boolean;
  setComplete(): void;
  /**
   * The position up to which a log was copied. The mark is that of the transaction that wrote the last copied change, at the
   * transaction's end: a copy of a part of it must notice when the transaction is lost.
   */
  place(log: ChangeLog): { sequence: number; place: Place | undefined };
  /** Call it in the transaction that writes the copied rows. */
  setPlace(log: ChangeLog, place: Place | undefined): void;
  /** Empties the copy. Concurrent readers find less and less. */
  beginAnew(): void;
  close(): Promise<void>;
}

const copiedTables = [
  "price_history",
  "product_pictures",
  "picture_vectors",
  "changes",
  "vector_changes",
  "products",
];

/** Opens the copy in the folder, or a new one. Any thread may open it; only one may write. */
export async function openCatalogCopy(folder: string): Promise<CatalogCopy> {
  const { db, connection, untilChange, close } = await openDatabase(folder);
  // Images themselves are not copied, only the images of each product.
  connection.pragma("foreign_keys = OFF");
  // Data lost in a power failure is copied again, because the position of the copy is in the same transaction.
  connection.pragma("synchronous = NORMAL");
  connection.exec(
    `create table if not exists copy_state (slot integer primary key check (slot = 1), epoch text not null, is_complete integer not null);
     create table if not exists copy_places (log text primary key, sequence integer not null, mark text not null);
     create table if not exists copy_columns (slot integer primary key check (slot = 1), names text not null)`,
  );
  const columns = copiedColumns.join(" ");
  connection
    .prepare(
      "insert or ignore into copy_columns (slot, names) select 1, ? where not exists (select 1 from changes)",
    )
    .run(columns);
  connection
    .prepare("insert or ignore into copy_state (slot, epoch, is_complete) values (1, ?, 0)")
    .run(randomUUID());
  const state = connection.prepare<[], { epoch: string; is_complete: number }>(
    "select epoch, is_complete from copy_state",
  );
  const place = connection.prepare<[string], Place>("select sequence, mark from copy_places where log = ?");
  const setPlace = connection.prepare<[string, number, string]>(
    "insert or replace into copy_places (log, sequence, mark) values (?, ?, ?)",
  );
  const newest = {
    changes: connection.prepare<[], { sequence: number | null }>(
      "select max(sequence) as sequence from changes",
    ),
    vector_changes: connection.prepare<[], { sequence: number | null }>(
      "select max(sequence) as sequence from vector_changes",
    ),
  };
  const writtenColumns = connection.prepare<[], string>("select names from copy_columns").pluck();
  const setColumns = connection.prepare<[string]>(
    "insert or replace into copy_columns (slot, names) values (1, ?)",
  );
  const beginAnew = connection.transaction(() => {
    for (const table of [...copiedTables, "copy_places"]) connection.exec(`delete from ${table}`);
    connection.prepare("update copy_state set epoch = ?, is_complete = 0").run(randomUUID());
    setColumns.run(columns);
  });
  return {
    db,
    connection,
    untilChange,
    state() {
      const row = state.get();
      return { epoch: row?.epoch ?? "", isComplete: row?.is_complete === 1 };
    },
    hasAllColumns: () => writtenColumns.get() === columns,
    setComplete: () => void connection.prepare("update copy_state set is_complete = 1").run(),
    place: (log) => ({ sequence: newest[log].get()?.sequence ?? 0, place: place.get(log) }),
    setPlace(log, place) {
      if (place !== undefined) setPlace.run(log, place.sequence, place.mark);
    },
    beginAnew: () => beginAnew.immediate(),
    close,
  };
}
