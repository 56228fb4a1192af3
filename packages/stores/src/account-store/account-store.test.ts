import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeAccountStore } from "@product-search/testing/contracts/account-store.ts";
import { expect, onTestFinished, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { createPostgresAccountStore, createSqlAccountStore } from "./account-store.ts";

describeOnEachEngine("the account store", (open) => {
  describeAccountStore(async (clock) => {
    const { db, close } = await open();
    return { store: createSqlAccountStore({ db, clock }), close };
  });
});

describeOnPostgres("the account store of many nodes", () => {
  describeAccountStore(async (clock) => {
    const { db, close } = await openTestPostgres();
    return { store: createPostgresAccountStore({ db, clock }), close };
  });

  test("does not wait for a token that another node changes now", async () => {
    const { db, close } = await openTestPostgres();
    onTestFinished(close);
    const store = createPostgresAccountStore({ db, clock: systemClock });
    const { id: accountId } = await store.ensureAccount("own");
    const add = (hash: string) =>
      store.addToken({ accountId, hash: Buffer.from(hash), hint: hash, scopes: ["search"] });
    const [held, free] = [await add("held"), await add("free")];
    await db.transaction().execute(async (transaction) => {
      await transaction.updateTable("tokens").set({ revoked_at: 1 }).where("id", "=", held.id).execute();
      await store.recordUses(
        new Map([
          [held.id, 7],
          [free.id, 7],
        ]),
      );
    });
    const uses = (await store.listTokens()).map(({ id, lastUsedAtMs }) => [id, lastUsedAtMs]);
    expect(Object.fromEntries(uses)).toEqual({ [held.id]: undefined, [free.id]: 7 });
  });
});
