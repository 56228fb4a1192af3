import type { AccountStore, Actor, AuditLog } from "@product-search/core/ports/accounts.ts";
import type { IdempotencyClaim, IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import type { TransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export interface UnitOfWorkFixture {
  unitOfWork: UnitOfWork;
  /** The same stores outside a transaction. */
  accountStore: AccountStore;
  webhookStore: WebhookStore;
  idempotencyStore: IdempotencyStore;
  auditLog: AuditLog;
  close(): Promise<void>;
}

const actor: Actor = { kind: "command", user: "operator", host: "machine" };

/** Tests for every unit of work. */
export function describeUnitOfWork(open: () => Promise<UnitOfWorkFixture>): void {
  let fixture: UnitOfWorkFixture;
  let accountId: string;
  beforeEach(async () => {
    fixture = await open();
    accountId = (await fixture.accountStore.ensureAccount("own")).id;
  });
  afterEach(() => fixture.close());

  const begin = () =>
    fixture.idempotencyStore.begin(
      { accountId, operation: "createWebhook", key: "k", requestHash: Buffer.from("r") },
      60_000,
    );
  const claim = async (): Promise<IdempotencyClaim> => {
    const state = await begin();
    if (state.state !== "started") throw new Error(`The key is ${state.state}.`);
    return state.claim;
  };
  const createWebhook = async (stores: TransactionStores, limit = 10): Promise<boolean> => {
    const url = "https://partner.example/";
    const webhook = { accountId, url, type: "price.alert", key: "whsec_AAAA" } as const;
    const created = await stores.webhookStore.create(webhook, limit);
    if (created === undefined) return false;
    await stores.audit.record("webhook.created", created.id);
    return true;
  };
  const storedCounts = async () => ({
    webhooks: (await fixture.webhookStore.list(accountId)).length,
    entries: (await fixture.auditLog.list({ limit: 10 })).entries.length,
  });

  test("commits work, audit entry and stored response together", async () => {
    const held = await claim();
    await fixture.unitOfWork.transact(actor, async (stores) => {
      await createWebhook(stores);
      expect(await stores.idempotencyStore.finish(held, { status: 201, body: "{}" })).toBe(true);
    });
    expect(await storedCounts()).toEqual({ webhooks: 1, entries: 1 });
    expect(await begin()).toEqual({ state: "done", status: 201, body: "{}" });
    expect((await fixture.auditLog.list({ limit: 1 })).entries).toMatchObject([{ actor }]);
  });

  test("stores nothing if the work fails", async () => {
    const held = await claim();
    const failing = fixture.unitOfWork.transact(actor, async (stores) => {
      await createWebhook(stores);
      await stores.idempotencyStore.finish(held, { status: 201, body: "{}" });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await storedCounts()).toEqual({ webhooks: 0, entries: 0 });
    expect(await begin()).toMatchObject({ state: "in_flight" });
  });

  test("respects limits with concurrent transactions", async () => {
    const created = await Promise.all(
      Array.from({ length: 12 }, () =>
        fixture.unitOfWork.transact(actor, (stores) => createWebhook(stores, 3)),
      ),
    );
    expect(created.filter((isCreated) => isCreated)).toHaveLength(3);
    expect(await storedCounts()).toEqual({ webhooks: 3, entries: 3 });
  });
}
