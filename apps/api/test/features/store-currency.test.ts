import { importFeed } from "@product-search/features/catalog-write/import/import-feed.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { composeImport } from "../../src/compose/import.ts";
import { checkStore } from "../../src/compose/start-checks.ts";
import { readConfig } from "../../src/config.ts";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
});
afterEach(() => fixture.close());

const settings = (currency: string) =>
  readConfig({ DATA_DIR: fixture.dataDir, CURRENCY: currency, LOG_LEVEL: "silent" });
const refusal = /CURRENCY is JPY, but the prices in the store are in USD.*pnpm api currency --set JPY/;

async function importWith(currency: string, feed: string) {
  const deps = composeImport(settings(currency), fixture.stores);
  try {
    const quiet = { onStep: () => {}, onReject: () => {}, onDiscarded: () => {} };
    const options = { feed, source: "catalog", absent: "keep" } as const;
    return await importFeed(deps, options, quiet, new AbortController().signal);
  } finally {
    await deps.close();
  }
}

test("the first import records the currency, and another one is refused by imports and at start", async () => {
  await checkStore(settings("JPY"));
  expect(await fixture.stores.storeCurrency.read()).toBeUndefined();
  await expect(fixture.run(fixture.file("{}\n"))).rejects.toThrow("invalid");
  expect(await fixture.stores.storeCurrency.read()).toBeUndefined();

  await fixture.run(fixture.file(nativeLine("a")));
  expect(await fixture.stores.storeCurrency.read()).toBe("USD");
  await checkStore(settings("USD"));
  await expect(checkStore(settings("JPY"))).rejects.toThrow(refusal);
  await expect(importWith("JPY", fixture.file(nativeLine("a")))).rejects.toThrow(refusal);
  expect(await fixture.products()).toMatchObject([{ priceMinor: 1999 }]);

  await fixture.stores.storeCurrency.replace("JPY");
  await checkStore(settings("JPY"));
  await expect(checkStore(settings("USD"))).rejects.toThrow("in JPY");
});

test("a store with products and no record, from an older release, gets the setting at the next start or import", async () => {
  await fixture.run(fixture.file(nativeLine("a")));
  const forget = () => fixture.stores.database.db.deleteFrom("store_currency").execute();
  await forget();
  await checkStore(settings("EUR"));
  expect(await fixture.stores.storeCurrency.read()).toBe("EUR");
  await forget();
  await importWith("GBP", fixture.file(nativeLine("b")));
  expect(await fixture.stores.storeCurrency.read()).toBe("GBP");
});
