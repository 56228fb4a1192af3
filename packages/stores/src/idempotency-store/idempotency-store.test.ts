import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeIdempotencyStore } from "@product-search/testing/contracts/idempotency-store.ts";
import { expect, it } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlIdempotencyStore } from "./idempotency-store.ts";

describeOnEachEngine("the idempotency store", (open) => {
  describeIdempotencyStore(async (clock, kept) => {
    const { db, secretBox, close } = await open();
    const { id: accountId } = await createSqlAccountStore({ db, clock }).ensureAccount("own");
    return { store: createSqlIdempotencyStore({ db, clock, secretBox, kept }), accountId, close };
  });

  it("encrypts stored responses", async () => {
    const { db, secretBox, close } = await open();
    const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
    const store = createSqlIdempotencyStore({ db, clock: systemClock, secretBox });
    const request = { accountId, operation: "createWebhook", key: "k", requestHash: Buffer.from("r") };
    const begun = await store.begin(request, 1000);
    if (begun.state !== "started") throw new Error(`The key is ${begun.state}.`);
    await store.finish(begun.claim, { status: 201, body: "whsec_secret" });
    const row = await db.selectFrom("idempotency").selectAll().executeTakeFirstOrThrow();
    expect(Buffer.from(row.body ?? []).toString("latin1")).not.toContain("whsec");
    await close();
  });
});
