import type { WaitingWebhook } from "@product-search/core/ports/delivery-queue.ts";
import { describe, expect, test } from "vitest";
import { createSlots, type Slots } from "./slots.ts";

const webhook = (key: number, accountId = `account ${key}`, failing = false): WaitingWebhook => ({
  key,
  accountId,
  failing,
});
const limits = { total: 10, perAccount: 6, perWebhook: 4, firstPerWebhook: 4 };
const share = (slots: Slots, ...waiting: WaitingWebhook[]) => slots.share(waiting, 100);
const counts = (shares: { webhook: WaitingWebhook; count: number }[]) =>
  Object.fromEntries(shares.map((share) => [share.webhook.key, share.count]));

describe("slots", () => {
  test("are shared equally, within the limit of each webhook", () => {
    expect(counts(share(createSlots(limits), webhook(1), webhook(2)))).toEqual({ 1: 4, 2: 4 });
    expect(counts(share(createSlots(limits), ...[1, 2, 3, 4, 5].map((key) => webhook(key))))).toEqual({
      1: 2,
      2: 2,
      3: 2,
      4: 2,
      5: 2,
    });
  });

  test("are not more than requested", () => {
    const shares = createSlots(limits).share([webhook(1), webhook(2)], 3);
    expect(counts(shares)).toEqual({ 1: 1, 2: 1 });
  });

  test("rotate: a webhook that got none is first next time", () => {
    const slots = createSlots({ ...limits, total: 2 });
    const waiting = [1, 2, 3, 4, 5].map((key) => webhook(key));
    const served = [1, 2, 3, 4, 5].map(() => Object.keys(counts(share(slots, ...waiting))).map(Number));
    expect(served).toEqual([
      [1, 2],
      [3, 4],
      [1, 5],
      [2, 3],
      [4, 5],
    ]);
  });

  test("are limited by account, over all its webhooks", () => {
    const slots = createSlots(limits);
    const waiting = [webhook(1, "a"), webhook(2, "a"), webhook(3, "b")];
    for (let slot = 0; slot < 4; slot++) slots.occupy(webhook(1, "a"));
    expect(counts(share(slots, ...waiting))).toEqual({ 2: 2, 3: 2 });
  });

  test("allow a failing webhook one attempt at a time", () => {
    const slots = createSlots(limits);
    expect(counts(share(slots, webhook(1, "a", true)))).toEqual({ 1: 1 });
    slots.occupy(webhook(1, "a"));
    expect(share(slots, webhook(1, "a", true))).toEqual([]);
  });

  test("increase by one per success up to the limit, and drop to one after a failure", () => {
    const slots = createSlots({ ...limits, firstPerWebhook: 1 });
    const attempt = (isSuccess: boolean) => {
      slots.occupy(webhook(1));
      slots.free(webhook(1), isSuccess);
      return counts(share(slots, webhook(1)))[1];
    };
    expect([true, true, true, true, true, false].map(attempt)).toEqual([2, 3, 4, 4, 4, 1]);
  });

  test("are free again afterwards", () => {
    const slots = createSlots({ ...limits, total: 1 });
    slots.occupy(webhook(1));
    expect(share(slots, webhook(2))).toEqual([]);
    slots.free(webhook(1), true);
    expect(slots.occupied()).toBe(0);
    expect(counts(share(slots, webhook(2)))).toEqual({ 2: 1 });
  });
});
