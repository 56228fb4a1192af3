import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreCurrency } from "@product-search/core/ports/catalog-store.ts";
import { describe, expect, test } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openDatabase } from "../database/open.ts";
import { createSqlStoreCurrency } from "./store-currency.ts";

/** Two processes on one store. */
interface World {
  one: StoreCurrency;
  other: StoreCurrency;
  close(): Promise<void>;
}

function describeStoreCurrency(open: () => Promise<World>): void {
  test("keeps what was recorded first until it is replaced", async () => {
    const { one, other, close } = await open();
    try {
      expect(await one.read()).toBeUndefined();
      expect(await one.record("EUR")).toBe("EUR");
      expect(await other.record("USD")).toBe("EUR");
      await other.replace("JPY");
      expect(await one.read()).toBe("JPY");
      expect(await one.record("EUR")).toBe("JPY");
    } finally {
      await close();
    }
  });

  test("gives all that record at once the same currency", async () => {
    const { one, other, close } = await open();
    try {
      const recorded = await Promise.all(
        ["EUR", "USD", "JPY", "GBP"].map((currency, at) => (at % 2 ? one : other).record(currency)),
      );
      expect(new Set(recorded).size).toBe(1);
      expect(await one.read()).toBe(recorded[0]);
    } finally {
      await close();
    }
  });
}

describe("the currency of a store in SQLite", () => {
  describeStoreCurrency(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "store-currency-"));
    const [first, second] = [await openDatabase(dataDir), await openDatabase(dataDir)];
    return {
      one: createSqlStoreCurrency(first),
      other: createSqlStoreCurrency(second),
      async close() {
        await first.close();
        await second.close();
        await rm(dataDir, { recursive: true });
      },
    };
  });
});

describeOnPostgres("the currency of a store on PostgreSQL", () => {
  describeStoreCurrency(async () => {
    const { db, close } = await openTestPostgres();
    return { one: createSqlStoreCurrency({ db }), other: createSqlStoreCurrency({ db }), close };
  });
});
