import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { createFairTurns, type FairTurns, type Turn } from "./fair-turns.ts";

const never = new AbortController().signal;

/** Waits until the queue has handed on its turn. */
const settled = () => delay(20);

interface Queued {
  order: string[];
  /** Asks for a turn, and ends it when `end` is called. */
  ask(key: string, name?: string, signal?: AbortSignal): Promise<void>;
  endCurrent(): Promise<void>;
}

function queueOf(turns: FairTurns): Queued {
  const order: string[] = [];
  let current: Turn | undefined;
  return {
    order,
    async ask(key, name = key, signal = never) {
      const turn = await turns.take(key, signal);
      order.push(name);
      current = turn;
    },
    async endCurrent() {
      current?.end();
      await settled();
    },
  };
}

describe("order", () => {
  it("gives a free turn at once, and one at a time", async () => {
    const turns = createFairTurns();
    const first = await turns.take("a", never);
    let isSecond = false;
    const second = turns.take("b", never).then((turn) => {
      isSecond = true;
      return turn;
    });
    await settled();
    expect(isSecond).toBe(false);
    first.end();
    (await second).end();
    expect(turns.waiting).toBe(0);
  });

  it("serves keys in turn, however much one of them sends", async () => {
    const queue = queueOf(createFairTurns());
    await queue.ask("hostile", "hostile 0");
    for (let at = 1; at <= 5; at++) void queue.ask("hostile", `hostile ${at}`);
    void queue.ask("one");
    void queue.ask("other", "other 1");
    void queue.ask("other", "other 2");
    for (let at = 0; at < 9; at++) await queue.endCurrent();
    expect(queue.order).toEqual([
      "hostile 0",
      "hostile 1",
      "one",
      "other 1",
      "hostile 2",
      "other 2",
      "hostile 3",
      "hostile 4",
      "hostile 5",
    ]);
  });

  it("does not let a key that empties its queue come before those that wait longer", async () => {
    const queue = queueOf(createFairTurns());
    await queue.ask("x");
    void queue.ask("a", "a 1");
    void queue.ask("b", "b 1");
    await queue.endCurrent();
    void queue.ask("a", "a 2");
    await queue.endCurrent();
    await queue.endCurrent();
    expect(queue.order).toEqual(["x", "a 1", "b 1", "a 2"]);
  });

  it("ends a turn once, also if it is ended twice", async () => {
    const turns = createFairTurns();
    const first = await turns.take("a", never);
    first.end();
    first.end();
    const second = await turns.take("a", never);
    let isThird = false;
    void turns.take("a", never).then(() => {
      isThird = true;
    });
    first.end();
    await settled();
    expect(isThird).toBe(false);
    second.end();
  });
});

describe("bounds", () => {
  it("refuses at once what one key or all together send beyond the length of the queue", async () => {
    const turns = createFairTurns({ maxWaiting: 5, maxWaitingPerKey: 3 });
    await turns.take("a", never);
    const waiting = Array.from({ length: 3 }, () => turns.take("a", never).catch(() => {}));
    await expect(turns.take("a", never)).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": "1" },
    });
    waiting.push(
      turns.take("b", never).catch(() => {}),
      turns.take("b", never).catch(() => {}),
    );
    await expect(turns.take("c", never)).rejects.toMatchObject({ code: "unavailable" });
    expect(turns.waiting).toBe(5);
  });

  it("refuses what waited longer than a second", async () => {
    vi.useFakeTimers();
    try {
      const turns = createFairTurns();
      await turns.take("a", never);
      const refused = turns.take("a", never).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(990);
      expect(turns.waiting).toBe(1);
      await vi.advanceTimersByTimeAsync(20);
      expect(await refused).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
      expect(turns.waiting).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("lets a client leave that never began, and one that waits", async () => {
    const turns = createFairTurns();
    await expect(turns.take("a", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
    const first = await turns.take("a", never);
    const leaving = new AbortController();
    const left = turns.take("a", leaving.signal);
    const third = turns.take("a", never);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    expect(turns.waiting).toBe(1);
    first.end();
    (await third).end();
  });

  it("passes a turn on whose client leaves while it is handed over", async () => {
    const turns = createFairTurns();
    const first = await turns.take("a", never);
    const leaving = new AbortController();
    const left = turns.take("a", leaving.signal);
    const third = turns.take("a", never);
    first.end();
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: "AbortError" });
    (await third).end();
  });
});

describe("a turn", () => {
  it("lets the event loop turn between short steps, also if several wait at once", async () => {
    const turns = createFairTurns({ sliceMs: 4 });
    const turn = await turns.take("a", never);
    let loops = 0;
    let isRunning = true;
    const count = (): void => {
      loops += 1;
      if (isRunning) setImmediate(count);
    };
    setImmediate(count);
    const work = async (): Promise<void> => {
      for (let step = 0; step < 10; step++) {
        await turn.step(async () => {
          const until = performance.now() + 5;
          while (performance.now() < until);
        });
      }
    };
    await Promise.all([work(), work(), work()]);
    isRunning = false;
    turn.end();
    // Thirty steps that are each longer than a slice.
    expect(loops).toBeGreaterThanOrEqual(28);
  });

  it("stops when its client leaves", async () => {
    const leaving = new AbortController();
    const turn = await createFairTurns().take("a", leaving.signal);
    leaving.abort();
    await expect(turn.step(async () => 1)).rejects.toMatchObject({ name: "AbortError" });
    turn.end();
  });

  it("is lent to others while it waits for something else, and comes back before them", async () => {
    const turns = createFairTurns();
    const turn = await turns.take("a", never);
    const order: string[] = [];
    const model = Promise.withResolvers<string>();
    const away = turn.away(() => model.promise);
    const second = await turns.take("b", never);
    const third = turns.take("b", never).then((taken) => {
      order.push("third");
      return taken;
    });
    model.resolve("plan");
    await settled();
    second.end();
    expect(await away).toBe("plan");
    order.push("back");
    turn.end();
    (await third).end();
    expect(order).toEqual(["back", "third"]);
  });

  it("comes back after a failure too", async () => {
    const turns = createFairTurns();
    const turn = await turns.take("a", never);
    await expect(turn.away(() => Promise.reject(new Error("no model")))).rejects.toThrow("no model");
    let isNext = false;
    const next = turns.take("b", never).then((taken) => {
      isNext = true;
      return taken;
    });
    await settled();
    expect(isNext).toBe(false);
    turn.end();
    (await next).end();
  });

  it("is free again if its client leaves while it waits for something else", async () => {
    const turns = createFairTurns();
    const leaving = new AbortController();
    const turn = await turns.take("a", leaving.signal);
    const model = Promise.withResolvers<string>();
    const away = turn.away(() => model.promise);
    const second = await turns.take("b", never);
    leaving.abort();
    model.resolve("late");
    await expect(away).rejects.toMatchObject({ name: "AbortError" });
    turn.end();
    let isThird = false;
    const third = turns.take("b", never).then((taken) => {
      isThird = true;
      return taken;
    });
    await settled();
    expect(isThird).toBe(false);
    second.end();
    (await third).end();
  });
});

it("keeps nothing of keys that have left", async () => {
  const turns = createFairTurns();
  for (let at = 0; at < 100; at++) (await turns.take(`key ${at}`, never)).end();
  expect(turns.waiting).toBe(0);
  expect(turns.keys).toBe(0);
});
