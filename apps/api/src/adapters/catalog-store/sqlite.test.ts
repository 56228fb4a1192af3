import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../ports/clock.ts";
import { openDatabase } from "../database/open.ts";
import { createOutbox } from "../database/outbox.ts";
import { describeCatalogStore, productInput } from "./contract.ts";
import { createSqliteCatalogStore } from "./sqlite.ts";

async function openTemporary() {
  const dataDir = await mkdtemp(join(tmpdir(), "catalog-store-"));
  const database = await openDatabase(dataDir);
  const close = async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  };
  const outbox = createOutbox(database.connection, { publicUrl: "https://shop.example", currency: "USD" });
  return { ...database, outbox, close };
}

describe("the SQLite catalog store", () => {
  describeCatalogStore(async (clock) => {
    const { connection, outbox, close } = await openTemporary();
    return { store: createSqliteCatalogStore({ connection, clock, outbox }), close };
  });

  test("refuses to apply inside a foreign transaction, which could undo it", async () => {
    const { connection, outbox, close } = await openTemporary();
    connection.exec("begin");
    const store = createSqliteCatalogStore({ connection, clock: systemClock, outbox });
    await expect(store.apply([productInput("a")])).rejects.toThrow("another transaction");
    connection.exec("rollback");
    await close();
  });
});
