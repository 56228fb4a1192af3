import type { DayQuota } from "@product-search/core/ports/quotas.ts";
import { describe, expect, test } from "vitest";
import { createRequestGate } from "./request-gate.ts";

const never = new AbortController().signal;
const endless: DayQuota = { take: async (_, count) => count };
const clock = { now: () => Date.now() };

describe("createRequestGate", () => {
  test("never exceeds the quota per second, and refuses at once a request that would be too late", async () => {
    const gate = createRequestGate({ clock, dayQuota: endless, perSecond: 5 });
    const startedMs = Date.now();
    const passes = Array.from({ length: 40 }, () =>
      gate.pass(startedMs + 1500, never).then(() => Date.now()),
    );
    const settled = await Promise.allSettled(passes);
    const out = settled.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const refused = settled.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect([out.length, refused.length]).toEqual([10, 30]);
    expect(refused[0]).toMatchObject({ kind: "quota", retryAfterSeconds: 3 });
    for (const [at, ms] of out.entries()) expect(ms - (out[at - 5] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  test("sends nothing during a Retry-After", async () => {
    const gate = createRequestGate({ clock, dayQuota: endless });
    const startedMs = Date.now();
    gate.pause(1);
    const tooLate = gate.pass(startedMs + 900, never);
    await expect(tooLate).rejects.toMatchObject({ kind: "quota", retryAfterSeconds: 1 });
    await gate.pass(startedMs + 2000, never);
    expect(Date.now() - startedMs).toBeGreaterThanOrEqual(999);
  });

  test("takes the daily quota in blocks and never exceeds it", async () => {
    let left = 1000;
    const blocks: number[] = [];
    const dayQuota: DayQuota = {
      async take(_, count) {
        const got = Math.min(count, left);
        left -= got;
        blocks.push(got);
        return got;
      },
    };
    const gate = createRequestGate({ clock, dayQuota, perDay: 1000 });
    const results = await Promise.allSettled(
      Array.from({ length: 1200 }, () => gate.pass(Date.now() + 3000, never)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1000);
    expect(blocks.slice(0, 200)).toEqual(Array.from({ length: 200 }, () => 5));
    await expect(gate.pass(Date.now() + 3000, never)).rejects.toMatchObject({ kind: "quota" });
  });

  test("requests the first block once, however many requests wait for it", async () => {
    let asked = 0;
    const dayQuota: DayQuota = {
      async take(_, count) {
        asked += 1;
        return count;
      },
    };
    const gate = createRequestGate({ clock, dayQuota, perDay: 100_000 });
    await Promise.all(Array.from({ length: 50 }, () => gate.pass(Date.now() + 3000, never)));
    expect(asked).toBe(1);
  });
});
