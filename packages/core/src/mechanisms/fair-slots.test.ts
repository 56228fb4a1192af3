import { describe, expect, it } from "vitest";
import { createFairQueue, presentPayer } from "./fair-queue.ts";
import { createFairSlots } from "./fair-slots.ts";

const never = () => new AbortController().signal;
const limits = { slots: 1, maxWaiting: 3, maxWaitingPerCaller: 2 };

/** Requests of callers who have used so much, each with work that ends when it is told to. */
function setUp(used: Record<string, number> = {}) {
  const queue = createFairQueue();
  const inSlot = createFairSlots(limits);
  const order: string[] = [];
  const held: (() => void)[] = [];
  return {
    order,
    endOne: async () => {
      held.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    ask: (caller: string, leaving = never) =>
      queue.run(caller, leaving, async () => {
        presentPayer()?.charge(used[caller] ?? 0);
        return inSlot(() => {
          order.push(caller);
          return new Promise<void>((resolve) => held.push(resolve));
        });
      }),
  };
}

describe("slots", () => {
  it("do as much work at once as there are slots, that of callers who have used least first", async () => {
    const { ask, endOne, order } = setUp({ hostile: 1000, shopper: 1 });
    const asked = ["hostile", "hostile", "hostile", "shopper"].map((caller) => ask(caller));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(order).toEqual(["hostile"]);
    for (let at = 0; at < 4; at++) await endOne();
    await Promise.all(asked);
    expect(order).toEqual(["hostile", "shopper", "hostile", "hostile"]);
  });

  it("refuse what would wait behind too many", async () => {
    const { ask, endOne } = setUp();
    const asked = [ask("a"), ask("a"), ask("a")];
    await expect(ask("a")).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
    asked.push(ask("b"));
    await expect(ask("c")).rejects.toMatchObject({ code: "unavailable" });
    for (let at = 0; at < 4; at++) await endOne();
    await Promise.all(asked);
  });

  it("drop what waits when its client leaves", async () => {
    const { ask, endOne, order } = setUp();
    const first = ask("a");
    const client = new AbortController();
    const left = ask("b", () => client.signal);
    await new Promise((resolve) => setTimeout(resolve, 5));
    client.abort();
    await expect(left).rejects.toThrow(/abort/);
    await endOne();
    await first;
    expect(order).toEqual(["a"]);
  });

  it("without callers, do in order what was not aborted, and are free after a failure", async () => {
    const inSlot = createFairSlots({ slots: 1, maxWaiting: 2, refusal: () => new Error("full") });
    const { promise, reject } = Promise.withResolvers<never>();
    const first = inSlot(() => promise);
    const leaving = new AbortController();
    const order: string[] = [];
    const add = (name: string) => inSlot(async () => order.push(name), leaving.signal);
    const second = add("left");
    const third = inSlot(async () => order.push("third"));
    await expect(inSlot(async () => order.push("fourth"))).rejects.toThrow("full");
    leaving.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    const fourth = inSlot(async () => order.push("fourth"));
    reject(new Error("down"));
    await expect(first).rejects.toThrow("down");
    await Promise.all([third, fourth]);
    await expect(add("left")).rejects.toThrow("left");
    expect(order).toEqual(["third", "fourth"]);
  });
});
