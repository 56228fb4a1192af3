import { isDeepStrictEqual } from "node:util";
import {
  type ColumnMapStore,
  columnsOfMap,
  type SavedColumnMap,
} from "@product-search/core/ports/imports.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

const maxMaps = 20;

/** For SQLite and PostgreSQL. A row has all maps of a source. */
export function createSqlColumnMapStore({ db }: { db: Kysely<Database> }): ColumnMapStore {
  const list = async (from: Kysely<Database>, source: string): Promise<SavedColumnMap[]> => {
    const row = await from
      .selectFrom("column_maps")
      .select("maps")
      .where("source", "=", source)
      .executeTakeFirst();
    return row === undefined ? [] : JSON.parse(row.maps);
  };
  return {
    list: (source) => list(db, source),
    save: (source, map) =>
      transact(db, async (transaction) => {
        const others = (await list(transaction, source)).filter(
          (one) => !isDeepStrictEqual(columnsOfMap(one), columnsOfMap(map)),
        );
        const maps = JSON.stringify([map, ...others].slice(0, maxMaps));
        await transaction
          .insertInto("column_maps")
          .values({ source, maps })
          .onConflict((conflict) => conflict.column("source").doUpdateSet({ maps }))
          .execute();
      }),
    async clear(source) {
      await db.deleteFrom("column_maps").where("source", "=", source).execute();
    },
  };
}
