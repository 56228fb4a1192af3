import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store/contract.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { describe, expect, test } from "vitest";
import { openDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import { Database } from "../database/sqlite.ts";
import { createSqliteCatalogStore } from "./sqlite.ts";

async function openTemporary() {
  const dataDir = await mkdtemp(join(tmpdir(), "catalog-store-"));
  const database = await openDatabase(dataDir);
  const close = async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  };
  const outbox = createOutbox(database.connection, { publicUrl: "https://shop.example", currency: "USD" });
  return { ...database, dataDir, outbox, close };
}

describe("the SQLite catalog store", () => {
  describeCatalogStore(async (clock) => {
    const { connection, outbox, close } = await openTemporary();
    return { store: createSqliteCatalogStore({ connection, clock, outbox }), close };
  });

  test("creates a product once if another connection creates it at the same time", async () => {
    const { connection, outbox, dataDir, close } = await openTemporary();
    const other = await openDatabase(dataDir);
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await store.apply([productInput("a")]);
    other.connection.exec(`
      create table kept as select * from products;
      delete from price_history;
      delete from changes;
      delete from products;`);
    let isFirstRead = true;
    const overtaken = {
      ...productInput("a", { priceMinor: 1500 }),
      get name() {
        // The first read after the store has looked for the product and before it writes.
        if (isFirstRead) other.connection.exec("insert into products select * from kept");
        isFirstRead = false;
        return "Desk lamp";
      },
    };
    expect(await store.apply([overtaken])).toEqual(["updated"]);
    expect(await store.scan(0, 10)).toMatchObject([{ key: "a", name: "Desk lamp", priceMinor: 1500 }]);
    await other.close();
    await close();
  });

  test("refuses to apply inside another transaction, which could roll it back", async () => {
    const { connection: usual, outbox, close } = await openTemporary();
    const connection = new Database(usual.name, { timeout: 20 });
    connection.exec("begin");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await expect(store.apply([productInput("a")])).rejects.toThrow("another transaction");
    connection.exec("rollback");
    connection.close();
    await close();
  });

  test("lets its thread go on while another connection holds the lock", async () => {
    const { connection, outbox, close } = await openTemporary();
    const other = new Database(connection.name);
    other.exec("begin immediate");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    const applying = store.apply([productInput("a")]);
    // With a blocking wait, neither this timer nor the rollback would come before the timeout of ten seconds.
    const startedAt = performance.now();
    await setTimeout(50);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    other.exec("rollback");
    expect(await applying).toEqual(["created"]);
    other.close();
    await close();
  });

  test("waits for another transaction on its connection", async () => {
    const { connection, outbox, close } = await openTemporary();
    connection.exec("begin");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    const applying = store.apply([productInput("a")]);
    await setTimeout(20);
    connection.exec("rollback");
    expect(await applying).toEqual(["created"]);
    expect(await store.scan(0, 10)).toHaveLength(1);
    await close();
  });
});
