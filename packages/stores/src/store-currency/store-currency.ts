import type { StoreCurrency } from "@product-search/core/ports/catalog-store.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

export function createSqlStoreCurrency({ db }: { db: Kysely<Database> }): StoreCurrency {
  const read = async () =>
    (await db.selectFrom("store_currency").select("currency").executeTakeFirst())?.currency;
  return {
    read,
    async record(currency) {
      const recorded = await read();
      if (recorded !== undefined) return recorded;
      await db
        .insertInto("store_currency")
        .values({ slot: 1, currency })
        .onConflict((conflict) => conflict.column("slot").doNothing())
        .execute();
      return (await read()) ?? currency;
    },
    async replace(currency) {
      await db
        .insertInto("store_currency")
        .values({ slot: 1, currency })
        .onConflict((conflict) => conflict.column("slot").doUpdateSet({ currency }))
        .execute();
    },
  };
}
