import { randomUUID } from "node:crypto";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import type { ChangeLog } from "../database/postgres/number-changes.ts";

/** A place in a change log: the number of a change and the random mark of the transaction that wrote it. */
export interface Place {
  sequence: number;
  mark: string;
}

export interface CopyState {
  /** Another one each time that the copy is begun anew: what was made from a former copy must not be believed. */
  epoch: string;
  /** Whether all of the catalog was there once. */
  isComplete: boolean;
}

/**
 * What a node keeps of the catalog on its own disk, in tables like those of a store of one machine: products with their
 * prices, the vectors of their images, and both change logs with the numbers that they have in PostgreSQL. Searches and
 * indexes read it, so that they do not ask PostgreSQL and go on without it.
 */
export interface CatalogCopy extends Pick<OpenDatabase, "connection"> {
  state(): CopyState;
  setComplete(): void;
  /** Where the copy of a log has got to. Its mark is that of the newest transaction that was copied whole. */
  place(log: ChangeLog): { sequence: number; known: Place | undefined };
  /** Call it in the transaction that writes what was copied. */
  setPlace(log: ChangeLog, known: Place | undefined): void;
  /** Empties it. Who reads it meanwhile finds less and less. */
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

/** Opens the copy in the folder, an empty one when there is none. Any thread may; one writes. */
export async function openCatalogCopy(folder: string): Promise<CatalogCopy> {
  const { connection, close } = await openDatabase(folder);
  // Images themselves are not copied, only which product shows which.
  connection.pragma("foreign_keys = OFF");
  // Whatever a power failure takes is copied again: it is there or not together with how far the copy got.
  connection.pragma("synchronous = NORMAL");
  connection.exec(
    `create table if not exists copy_state (slot integer primary key check (slot = 1), epoch text not null, is_complete integer not null);
     create table if not exists copy_places (log text primary key, sequence integer not null, mark text not null)`,
  );
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
  const beginAnew = connection.transaction(() => {
    for (const table of [...copiedTables, "copy_places"]) connection.exec(`delete from ${table}`);
    connection.prepare("update copy_state set epoch = ?, is_complete = 0").run(randomUUID());
  });
  return {
    connection,
    state() {
      const row = state.get();
      return { epoch: row?.epoch ?? "", isComplete: row?.is_complete === 1 };
    },
    setComplete: () => void connection.prepare("update copy_state set is_complete = 1").run(),
    place: (log) => ({ sequence: newest[log].get()?.sequence ?? 0, known: place.get(log) }),
    setPlace(log, known) {
      if (known !== undefined) setPlace.run(log, known.sequence, known.mark);
    },
    beginAnew: () => beginAnew.immediate(),
    close,
  };
}
