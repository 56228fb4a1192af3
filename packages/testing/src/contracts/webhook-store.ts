import type { Clock } from "@product-search/core/ports/clock.ts";
import type { NewWebhook, WebhookRecord, WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

export interface WebhookStoreFixture {
  store: WebhookStore;
  /** Existing accounts. */
  accountIds: readonly [string, string];
  close(): Promise<void>;
}

/** Tests for every webhook store. */
export function describeWebhookStore(open: (clock: Clock) => Promise<WebhookStoreFixture>): void {
  let fixture: WebhookStoreFixture;
  let store: WebhookStore;
  let nowMs: number;
  let own: string;
  let other: string;

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs });
    store = fixture.store;
    [own, other] = fixture.accountIds;
  });
  afterEach(() => fixture.close());

  const newWebhook = (more: Partial<NewWebhook> = {}): NewWebhook => ({
    accountId: own,
    url: "https://partner.example/hook",
    type: "price.alert",
    key: "whsec_AAAA",
    ...more,
  });
  const create = async (more: Partial<NewWebhook> = {}): Promise<WebhookRecord> => {
    const webhook = await store.create(newWebhook(more), 100);
    if (webhook === undefined) throw new Error("The account is full.");
    return webhook;
  };
  const reference = ({ accountId, id }: WebhookRecord) => ({ accountId, webhookId: id });

  describe("webhooks", () => {
    test("are stored as given, and returned without their key", async () => {
      const webhook = await create({ productIds: ["a", "b"], type: "stock.alert" });
      expect(webhook).toEqual({
        id: expect.stringMatching(/^wh_[A-Za-z0-9]{16}$/),
        accountId: own,
        url: "https://partner.example/hook",
        type: "stock.alert",
        productIds: ["a", "b"],
        createdAtMs: nowMs,
      });
      expect(await store.find(reference(webhook))).toEqual(webhook);
    });

    test("are listed newest first, each account's own, or all", async () => {
      const ids = [(await create()).id, (await create()).id, (await create()).id].reverse();
      const foreign = await create({ accountId: other });
      expect((await store.list(own)).map(({ id }) => id)).toEqual(ids);
      expect((await store.list()).map(({ id }) => id)).toEqual([foreign.id, ...ids]);
    });

    test("have a limit per account, and a deleted one no longer counts", async () => {
      const first = await store.create(newWebhook(), 2);
      await store.create(newWebhook(), 2);
      expect(await store.create(newWebhook(), 2)).toBeUndefined();
      expect(await store.create(newWebhook({ accountId: other }), 2)).toBeDefined();
      if (first) await store.remove(reference(first));
      expect(await store.create(newWebhook(), 2)).toBeDefined();
    });

    test("respect the limit with concurrent requests", async () => {
      const created = await Promise.all(Array.from({ length: 20 }, () => store.create(newWebhook(), 3)));
      expect(created.filter((webhook) => webhook !== undefined)).toHaveLength(3);
    });

    test("respect the limit of signing keys with concurrent rotations", async () => {
      const webhook = await create();
      const rotation = { formerUntilMs: nowMs + 1000, maxKeys: 3 };
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, number) =>
          store.replaceKey(reference(webhook), `whsec_${number}`, rotation),
        ),
      );
      expect(outcomes.filter((outcome) => outcome && "rotated" in outcome)).toHaveLength(2);
      expect(outcomes).toContainEqual({ oldestUntilMs: nowMs + 1000 });
    });

    test("are absent for other accounts, and after deletion", async () => {
      const webhook = await create();
      const foreign = { accountId: other, webhookId: webhook.id };
      const queued = await store.queueTest(reference(webhook), "{}");
      const deliveryId = queued?.id ?? "";
      expect(await store.remove(foreign)).toBe(false);
      for (const absent of [foreign, reference(webhook)]) {
        if (absent !== foreign) expect(await store.remove(absent)).toBe(true);
        expect(await store.find(absent)).toBeUndefined();
        const rotation = { formerUntilMs: nowMs, maxKeys: 3 };
        expect(await store.replaceKey(absent, "whsec_BBBB", rotation)).toBeUndefined();
        expect(await store.enable(absent)).toBeUndefined();
        expect(await store.listDeliveries(absent, { limit: 10 })).toBeUndefined();
        expect(await store.findDelivery(absent, deliveryId)).toBeUndefined();
        expect(await store.queueTest(absent, "{}")).toBeUndefined();
        expect(await store.queueReplay(absent, deliveryId)).toBeUndefined();
        expect(await store.remove(absent)).toBe(false);
      }
      expect(await store.list(own)).toEqual([]);
    });
  });

  describe("deliveries", () => {
    test("of tests and replays are pending at once", async () => {
      const webhook = await create();
      const original = await store.queueTest(reference(webhook), "{}");
      expect(original).toEqual({
        id: expect.stringMatching(/^dl_[A-Za-z0-9]{16}$/),
        eventId: expect.stringMatching(/^ev_[A-Za-z0-9]{16}$/),
        type: "price.alert",
        test: true,
        status: "pending",
        createdAtMs: nowMs,
        nextAttemptAtMs: nowMs,
        body: "{}",
        attempts: [],
      });
      nowMs += 1000;
      const replay = await store.queueReplay(reference(webhook), original?.id ?? "");
      expect(replay).toMatchObject({
        eventId: original?.eventId,
        replayOf: original?.id,
        body: "{}",
        nextAttemptAtMs: nowMs,
      });
      expect(replay?.id).not.toBe(original?.id);
      expect(await store.countPending()).toBe(2);
      expect(await store.findDelivery(reference(webhook), original?.id ?? "")).toEqual(original);
    });

    test("are paged newest first, without gaps or repetitions", async () => {
      const webhook = await create();
      const ids: string[] = [];
      for (let count = 0; count < 7; count++)
        ids.unshift((await store.queueTest(reference(webhook), "{}"))?.id ?? "");
      const listed: string[] = [];
      let before: number | undefined;
      do {
        const page = await store.listDeliveries(reference(webhook), { limit: 3, ...(before && { before }) });
        listed.push(...(page?.deliveries.map(({ id }) => id) ?? []));
        before = page?.next;
      } while (before !== undefined);
      expect(listed).toEqual(ids);
    });

    test("are found only for their own webhook", async () => {
      const [webhook, sibling] = [await create(), await create()];
      const queued = await store.queueTest(reference(webhook), "{}");
      expect(await store.findDelivery(reference(sibling), queued?.id ?? "")).toBeUndefined();
      expect(await store.queueReplay(reference(sibling), queued?.id ?? "")).toBeUndefined();
      expect(await store.listDeliveries(reference(sibling), { limit: 3 })).toEqual({ deliveries: [] });
    });
  });
}
