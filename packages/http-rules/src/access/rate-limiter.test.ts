import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { createRateLimiter, createRateMemory } from "./rate-limiter.ts";

const limit = { requests: 3, seconds: 60 };

describe("a rate limiter", () => {
  it("allows the quota, reports what is left, and resets in the next window", () => {
    let now = 120_000;
    const limiter = createRateLimiter(createRateMemory(64), () => now);
    const taken = () => limiter.take("a", limit);
    expect(taken()).toEqual({ allowed: true, remaining: 2, resetSeconds: 60 });
    expect(taken()).toMatchObject({ allowed: true, remaining: 1 });
    now += 10_000;
    expect(taken()).toEqual({ allowed: true, remaining: 0, resetSeconds: 50 });
    expect(taken()).toEqual({ allowed: false, remaining: 0, resetSeconds: 50 });
    now += 50_000;
    expect(taken()).toEqual({ allowed: true, remaining: 2, resetSeconds: 60 });
  });

  it("counts each key separately", () => {
    const limiter = createRateLimiter(createRateMemory(4096), () => 0);
    for (let key = 0; key < 200; key++) expect(limiter.take(`key ${key}`, limit).remaining).toBe(2);
  });

  it("stays within its memory under a flood of keys, and gets stricter, not looser", () => {
    const limiter = createRateLimiter(createRateMemory(16), () => 0);
    let allowed = 0;
    for (let key = 0; key < 10_000; key++) if (limiter.take(`key ${key}`, limit).allowed) allowed += 1;
    expect(allowed).toBeLessThanOrEqual(16 * limit.requests);
  });

  it("reuses the slots of past windows for new keys", () => {
    let now = 0;
    const limiter = createRateLimiter(createRateMemory(16), () => now);
    for (let key = 0; key < 100; key++) limiter.take(`old ${key}`, limit);
    now = 600_000;
    expect(limiter.take("new", limit)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it.each([
    ["now", 600_000],
    ["when the numbers of windows overflow", 2 ** 31 * 60_000],
  ])("admits the quota once although the clocks of threads differ, %s", (_, startsAtMs) => {
    const memory = createRateMemory(64);
    const early = createRateLimiter(memory, () => startsAtMs);
    const late = createRateLimiter(memory, () => startsAtMs - 1);
    late.take("a", limit);
    let allowed = 0;
    for (let turn = 0; turn < 20; turn++)
      for (const limiter of [early, late]) if (limiter.take("a", limit).allowed) allowed += 1;
    expect(allowed).toBe(limit.requests);
  });

  it("begins anew after a clock that was far ahead is right again", () => {
    const memory = createRateMemory(64);
    const wrong = createRateLimiter(memory, () => 3_600_000);
    const right = createRateLimiter(memory, () => 600_000);
    while (wrong.take("a", limit).allowed);
    expect(right.take("a", limit)).toMatchObject({ allowed: true, remaining: 2 });
  });

  it("counts the requests of all threads together", async () => {
    const memory = createRateMemory(64);
    const source = `
      const { parentPort, workerData } = require("node:worker_threads");
      import(workerData.module).then(({ createRateLimiter }) => {
        const limiter = createRateLimiter(workerData.memory, () => 0);
        let allowed = 0;
        for (let taken = 0; taken < 20000; taken++) if (limiter.take("key", { requests: 15000, seconds: 60 }).allowed) allowed += 1;
        parentPort.postMessage(allowed);
      });`;
    const module = new URL("./rate-limiter.ts", import.meta.url).href;
    const counts = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<number>((resolve, reject) => {
            const worker = new Worker(source, { eval: true, workerData: { memory, module } });
            worker.once("message", resolve);
            worker.once("error", reject);
          }),
      ),
    );
    expect(counts.reduce((sum, count) => sum + count)).toBe(15_000);
  });
});
