import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeWebhookStore } from "@product-search/testing/contracts/webhook-store.ts";
import { expect, test } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "../account-store/account-store.ts";
import { createSqlWebhookStore } from "./webhook-store.ts";

describeOnEachEngine("the webhook store", (open) => {
  describeWebhookStore(async (clock) => {
    const { db, secretBox, close } = await open();
    const accounts = createSqlAccountStore({ db, clock });
    const accountIds = [
      (await accounts.ensureAccount("own")).id,
      (await accounts.ensureAccount("other")).id,
    ] as const;
    return { store: createSqlWebhookStore({ db, clock, secretBox }), accountIds, close };
  });

  test("encrypts keys", async () => {
    const { db, secretBox, close } = await open();
    const { id: accountId } = await createSqlAccountStore({ db, clock: systemClock }).ensureAccount("own");
    const store = createSqlWebhookStore({ db, clock: systemClock, secretBox });
    const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const webhook = await store.create({ accountId, url: "https://a.example/", type: "price.alert", key }, 1);
    const rotation = { formerUntilMs: 0, maxKeys: 3 };
    await store.replaceKey({ accountId, webhookId: webhook?.id ?? "" }, `${key}2`, rotation);
    const webhooks = await db.selectFrom("webhooks").selectAll().execute();
    const former = await db.selectFrom("webhook_former_keys").selectAll().execute();
    expect([webhooks.length, former.length]).toEqual([1, 1]);
    for (const row of [...webhooks, ...former]) {
      const bytes = Object.values(row).map((value) =>
        Buffer.from(value instanceof Uint8Array ? value : `${value}`),
      );
      expect(Buffer.concat(bytes).includes(key.slice(6))).toBe(false);
    }
    await close();
  });
});
