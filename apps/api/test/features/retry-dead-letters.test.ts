import { retryDeadLetters } from "@product-search/features/dead-letters/dead-letters.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

let fixture: ImportFixture;
beforeEach(async () => {
  fixture = await createImportFixture();
});
afterEach(() => fixture.close());

test("a product that could not be applied is applied on retry", async () => {
  const { connection } = fixture.stores.database;
  connection.exec(
    "create trigger poison before insert on products when new.price_minor = 666 begin select raise(abort, 'poison'); end",
  );
  await fixture.run(fixture.file(nativeLine("bad", { price: 6.66 })));
  expect(await retryDeadLetters(fixture.stores, "all")).toMatchObject([{ outcome: "failed" }]);
  connection.exec("drop trigger poison");
  expect(await retryDeadLetters(fixture.stores, "all")).toMatchObject([{ outcome: "retried" }]);
  expect(await fixture.products()).toMatchObject([{ key: "bad", priceMinor: 666 }]);
  expect(await retryDeadLetters(fixture.stores, "all")).toEqual([]);
});

test("an earlier state is not applied over a later one", async () => {
  const { connection } = fixture.stores.database;
  await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
  connection.exec(
    "create trigger poison before update on products when new.price_minor = 666 begin select raise(abort, 'poison'); end",
  );
  await fixture.run(fixture.file(nativeLine("a", { price: 6.66 })));
  connection.exec("drop trigger poison");
  await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
  expect(await retryDeadLetters(fixture.stores, "all")).toEqual([]);
  expect(await fixture.products()).toMatchObject([{ priceMinor: 100 }]);
});
