import { setImmediate } from "node:timers/promises";
import { type StagedRow, StagingDamaged } from "@product-search/core/ports/staging.ts";
import Sqlite from "better-sqlite3";
import { mayRepeat } from "./sort-rows.ts";

const readBatchSize = 500;
/** Some milliseconds of the thread. */
const countBatchSize = 20_000;

export interface RowReader {
  rowsAfter(position: number): Generator<StagedRow>;
  countAfter(position: number): Promise<number>;
  has(id: string): boolean;
}

/** Reads a sealed staging file. */
export function createRowReader(connection: Sqlite.Database): RowReader {
  const idAt = connection.prepare<[number], { id: string }>("select id from staged where position = ?");
  const hasRepeats = mayRepeat(connection);
  const isLast = hasRepeats
    ? "not exists (select 1 from staged later where later.id = staged.id and later.position > staged.position)"
    : "true";
  const rows = connection.prepare<[string, number], { id: string; position: number; input: string }>(
    `select id, position, input from staged where id > (select ?) and ${isLast} order by id limit (select ?)`,
  );
  // Takes 12 ms for a million rows: SQLite only adds up how many each page of the index has.
  const countAll = connection.prepare<[], { products: number }>("select count(*) as products from staged");
  const count = connection.prepare<[string, number], { products: number; lastId: string | null }>(
    `select count(distinct id) as products, max(id) as lastId
     from (select id from staged where id > (select ?) order by id limit (select ?))`,
  );
  const seen = connection.prepare<[{ id: string }], { found: 1 }>(
    `select 1 as found where exists (select 1 from staged where id = (select @id))
                          or exists (select 1 from refused where id = (select @id))`,
  );
  /** Undefined for a position after all rows. */
  const startOf = (position: number) => (position === 0 ? "" : idAt.get(position)?.id);

  const readPage = (after: string) => {
    const page = rows.all(after, readBatchSize);
    const staged = page.map(({ position, input }): StagedRow => ({ position, change: JSON.parse(input) }));
    return { staged, lastId: page.at(-1)?.id };
  };

  return {
    *rowsAfter(from) {
      for (let after = reportDamage(() => startOf(from)); after !== undefined; ) {
        const start = after;
        const { staged, lastId } = reportDamage(() => readPage(start));
        yield* staged;
        after = lastId;
      }
    },
    async countAfter(position) {
      if (position === 0 && !hasRepeats) return reportDamage(() => countAll.get())?.products ?? 0;
      let products = 0;
      for (let after = reportDamage(() => startOf(position)); after !== undefined; ) {
        const start = after;
        const counted = reportDamage(() => count.get(start, countBatchSize));
        products += counted?.products ?? 0;
        after = counted?.lastId ?? undefined;
        // Leases must be renewed meanwhile.
        await setImmediate();
      }
      return products;
    },
    has: (id) => reportDamage(() => seen.get({ id }) !== undefined),
  };
}

/** True if a table or an index is missing. */
const damage = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

export function reportDamage<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const isDamaged =
      cause instanceof SyntaxError || (cause instanceof Sqlite.SqliteError && damage.test(cause.code));
    throw isDamaged ? new StagingDamaged("The staging file is damaged.", { cause }) : cause;
  }
}
