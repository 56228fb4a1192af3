import { setTimeout as delay, setImmediate as nextLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import {
  createFairQueue,
  type FairQueue,
  type FairQueueLimits,
  giveWay,
  inTurn,
  presentPayer,
} from "./fair-queue.ts";

const never = () => new AbortController().signal;

/** Occupies the thread. */
function spin(milliseconds: number): void {
  const threadMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  for (const startMs = threadMs(); threadMs() - startMs < milliseconds; );
}

/** Notes which requests have started, each of which occupies the thread for so long. */
function noted(queue: FairQueue) {
  const order: string[] = [];
  return {
    order,
    ask: (caller: string, milliseconds = 0, leaving: () => AbortSignal = never) =>
      queue.run(caller, leaving, async () => {
        order.push(caller);
        spin(milliseconds);
      }),
  };
}

const slow = 8;
/** On a busy machine everything takes long. */
const patient = { maxWaitMs: 60_000 };
const charge = (milliseconds: number) => presentPayer()?.charge(milliseconds);

it("asks a request for its signal once, however often it waits", async () => {
  const queue = createFairQueue(patient);
  const { ask } = noted(queue);
  let asked = 0;
  const waiting = queue.run(
    "a",
    () => {
      asked += 1;
      return never();
    },
    async () => {
      for (let time = 0; time < 3; time++) {
        spin(slow);
        await Promise.all([ask("b"), giveWay()]);
      }
    },
  );
  await waiting;
  expect(asked).toBe(1);
});

describe("order", () => {
  it("starts at once while nobody waits", async () => {
    const { ask, order } = noted(createFairQueue(patient));
    const first = ask("a");
    expect(order).toEqual(["a"]);
    const second = ask("b");
    expect(order).toEqual(["a", "b"]);
    await Promise.all([first, second]);
  });

  it("starts nothing else in a slice that is used up, and then what was sent first", async () => {
    const queue = createFairQueue(patient);
    const { ask, order } = noted(queue);
    const asked = [ask("a", slow), ask("b"), ask("c")];
    expect(order).toEqual(["a"]);
    expect(queue.waiting).toBe(2);
    await Promise.all(asked);
    expect(order).toEqual(["a", "b", "c"]);
    expect(queue.waiting).toBe(0);
  });

  it("lets a cheap request of another caller come before all expensive ones that wait", async () => {
    const { ask, order } = noted(createFairQueue(patient));
    const asked = Array.from({ length: 20 }, () => ask("hostile", slow));
    await nextLoop();
    await ask("shopper");
    expect(order.filter((caller) => caller === "hostile").length).toBeLessThan(4);
    await Promise.all(asked);
    expect(order).toHaveLength(21);
  });

  it("prefers callers who have used less, also if they send many requests", async () => {
    const { ask, order } = noted(createFairQueue(patient));
    await ask("hostile", 60);
    const asked = [...Array.from({ length: 5 }, () => ask("hostile", slow))];
    asked.push(...Array.from({ length: 5 }, () => ask("shopper", 1)));
    await Promise.all(asked);
    const last = order.lastIndexOf("shopper");
    expect(order.slice(0, last).filter((caller) => caller === "hostile").length).toBeLessThanOrEqual(2);
  });

  it("serves callers in turn who use the same", async () => {
    const { ask, order } = noted(createFairQueue(patient));
    await ask("x", slow);
    await Promise.all(["a", "a", "a", "b", "b", "b"].map((caller) => ask(caller, slow)));
    const [, ...others] = order;
    for (let at = 0; at < 6; at += 2) expect(new Set(others.slice(at, at + 2))).toEqual(new Set(["a", "b"]));
  });

  it("lets timers and connections come between", async () => {
    const { ask, order } = noted(createFairQueue(patient));
    const asked = Promise.all(Array.from({ length: 20 }, () => ask("a", slow)));
    await delay(1);
    expect(order.length).toBeLessThan(5);
    await asked;
  });
});

describe("price", () => {
  it("is the processor time of a request, without its waiting", async () => {
    const queue = createFairQueue();
    await queue.run("a", never, async () => {
      spin(20);
      await delay(100);
    });
    expect(queue.usedMs("a")).toBeGreaterThan(15);
    expect(queue.usedMs("a")).toBeLessThan(60);
    expect(queue.usedMs("b")).toBe(0);
  });

  it("includes what another thread has used", async () => {
    const queue = createFairQueue();
    await queue.run("a", never, async () => charge(500));
    expect(queue.usedMs("a")).toBeGreaterThan(450);
    charge(500);
  });

  it("has a share of what all callers have used", async () => {
    const queue = createFairQueue();
    await queue.run("a", never, async () => charge(3000));
    await queue.run("b", never, async () => {
      charge(1000);
      expect(presentPayer()?.share).toBeCloseTo(1 / 4, 1);
    });
  });

  it("is forgotten by halves", async () => {
    const queue = createFairQueue({ halfLifeMs: 50 });
    await queue.run("a", never, async () => charge(1000));
    await delay(150);
    expect(queue.usedMs("a")).toBeLessThan(150);
  });

  it("forgets callers who have used nothing lately", async () => {
    const queue = createFairQueue({ halfLifeMs: 3_600_000 });
    await queue.run("first", never, async () => charge(1000));
    for (let at = 0; at < 10_100; at++) await queue.run(`caller ${at}`, never, async () => {});
    expect(queue.usedMs("first")).toBeGreaterThan(500);
  });
});

describe("giving way", () => {
  it("makes one long request let others come between its steps", async () => {
    const { ask, order } = noted(createFairQueue());
    const queue = createFairQueue();
    const other = noted(queue);
    const long = queue.run("a", never, async () => {
      for (let step = 0; step < 10; step++) {
        await giveWay();
        other.order.push(`step ${step}`);
        spin(3);
      }
    });
    const short = other.ask("b");
    await short;
    expect(other.order.indexOf("b")).toBeLessThan(6);
    await long;
    expect(other.order).toHaveLength(11);
    expect(order).toEqual([]);
    await ask("c");
  });

  it("goes on at once while the slice is not used up, and outside of a queue", async () => {
    expect(giveWay()).toBeUndefined();
    await createFairQueue().run("a", never, async () => {
      expect(giveWay()).toBeUndefined();
      spin(slow);
      expect(giveWay()).toBeInstanceOf(Promise);
    });
  });

  it("passes on what was waited for at once in the request's own slice, and later in its turn", async () => {
    await createFairQueue().run("a", never, async () => {
      expect(inTurn("rows")).toBe("rows");
      spin(slow);
      const later = inTurn("rows");
      expect(later).toBeInstanceOf(Promise);
      expect(await later).toBe("rows");
    });
    expect(inTurn("rows")).toBe("rows");
  });

  it("charges what follows a wait", async () => {
    const queue = createFairQueue();
    await queue.run("a", never, async () => {
      await inTurn(await delay(20));
      spin(20);
      await nextLoop();
    });
    expect(queue.usedMs("a")).toBeGreaterThan(15);
  });

  it("ends the work when the client has left", async () => {
    const queue = createFairQueue();
    const client = new AbortController();
    let steps = 0;
    const work = queue.run(
      "a",
      () => client.signal,
      async () => {
        for (;;) {
          await giveWay();
          steps += 1;
          spin(slow);
          if (steps === 3) client.abort();
        }
      },
    );
    await expect(work).rejects.toThrow(/abort/);
    expect(steps).toBe(3);
    expect(queue.waiting).toBe(0);
  });
});

describe("limits", () => {
  /** A queue behind a request that has used up its slice. */
  function behind(limits: Partial<FairQueueLimits>) {
    const queue = createFairQueue(limits);
    const { ask, order } = noted(queue);
    return { queue, ask, order, first: ask("x", slow) };
  }

  it("refuse what would wait behind too many of the same caller", async () => {
    const { ask } = behind({ maxWaitingPerCaller: 2 });
    const asked = [ask("a"), ask("a")];
    await expect(ask("a")).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
    await Promise.all([...asked, ask("b")]);
  });

  it("give the place of a caller who has used much to one who has used less", async () => {
    const { queue, ask, order } = behind({ maxWaiting: 2 });
    const [one, two] = [ask("x"), ask("x")];
    const refused = expect(two).rejects.toMatchObject({ code: "unavailable" });
    const shopper = ask("shopper");
    await refused;
    await expect(ask("x")).rejects.toMatchObject({ code: "unavailable" });
    await Promise.all([one, shopper]);
    expect(order.sort()).toEqual(["shopper", "x", "x"]);
    expect(queue.waiting).toBe(0);
  });

  it("refuse what waits too long", async () => {
    const queue = createFairQueue({ maxWaitMs: 30 });
    const { ask, order } = noted(queue);
    await queue.run("b", never, async () => charge(1000));
    const others = Promise.allSettled(Array.from({ length: 12 }, () => ask("a", slow)));
    await expect(ask("b")).rejects.toMatchObject({ code: "unavailable" });
    await others;
    expect(order).not.toContain("b");
  });

  it("drop what waits when its client leaves", async () => {
    const { queue, ask, order, first } = behind({});
    const client = new AbortController();
    const left = ask("a", 0, () => client.signal);
    client.abort();
    await expect(left).rejects.toThrow(/abort/);
    expect(queue.waiting).toBe(0);
    await first;
    await nextLoop();
    expect(order).toEqual(["x"]);
  });
});
