import type { Clock } from "@product-search/core/ports/clock.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createPostgresCatalogStore } from "../catalog-store/postgres.ts";
import { createSqliteCatalogStore } from "../catalog-store/sqlite.ts";
import { describeOutbox, presentation } from "./contract-outbox.ts";
import { openMemoryDatabase } from "./open.ts";
import { createOutbox } from "./outbox.ts";

async function openSqlite(clock: Clock) {
  const { db, connection, close } = await openMemoryDatabase();
  const outbox = createOutbox(connection, presentation);
  return {
    db,
    outbox,
    store: createSqliteCatalogStore({ connection, clock, outbox }),
    async refuseProduct(key: string) {
      connection.exec(
        `create trigger full before insert on products when new.key = '${key}' begin select raise(abort, 'full'); end`,
      );
    },
    close,
  };
}

describe("events and deliveries on SQLite", () => {
  describeOutbox(openSqlite);

  test("an event cannot be recorded outside a transaction", async () => {
    const { store, outbox, close } = await openSqlite({ now: () => 0 });
    onTestFinished(close);
    await store.apply([productInput("a")]);
    const [product] = await store.findByRowIds([1]);
    if (product === undefined) throw new Error("The product is missing.");
    expect(() => outbox.record({ previous: product, current: product }, 0)).toThrow("transaction");
  });
});

describeOnPostgres("events and deliveries on PostgreSQL", () => {
  describeOutbox(async (clock) => {
    const { db, close } = await openTestPostgres();
    return {
      db,
      store: createPostgresCatalogStore({ db, clock, presentation }),
      async refuseProduct(key) {
        await sql
          .raw(
            `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$;
             create trigger refuse before insert on products for each row when (new.key = '${key}') execute function refuse()`,
          )
          .execute(db);
      },
      close,
    };
  });
});
