import type { Clock } from "@product-search/core/ports/clock.ts";
import type { IdempotencyClaim, IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import { afterEach, beforeEach, expect, it } from "vitest";

export interface IdempotencyStoreFixture {
  store: IdempotencyStore;
  /** An existing account. */
  accountId: string;
  close(): Promise<void>;
}

const started = { state: "started", claim: expect.objectContaining({ operation: "createWebhook" }) };

/** Of an account, in these tests. */
const kept = 120;

/** Tests for every idempotency store. */
export function describeIdempotencyStore(
  open: (clock: Clock, kept: number) => Promise<IdempotencyStoreFixture>,
): void {
  let fixture: IdempotencyStoreFixture;
  let store: IdempotencyStore;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs }, kept);
    store = fixture.store;
  });
  afterEach(() => fixture.close());

  const request = (key: string, text = "same") => ({
    accountId: fixture.accountId,
    operation: "createWebhook",
    key,
    requestHash: Buffer.from(text),
  });
  /** Claims the key, which must be free. */
  const claim = async (key: string): Promise<IdempotencyClaim> => {
    const state = await store.begin(request(key), 1000);
    if (state.state !== "started") throw new Error(`The key is ${state.state}.`);
    return state.claim;
  };

  it("lets one request run, and returns its response to the next", async () => {
    const first = await claim("k");
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "in_flight" });
    expect(await store.finish(first, { status: 201, body: '{"apiKey":"whsec_secret"}' })).toBe(true);
    expect(await store.begin(request("k"), 1000)).toEqual({
      state: "done",
      status: 201,
      body: '{"apiKey":"whsec_secret"}',
    });
  });

  it("refuses the key with another request", async () => {
    await store.begin(request("k"), 1000);
    expect(await store.begin(request("k", "other"), 1000)).toEqual({ state: "mismatch" });
  });

  it("frees a key whose request failed or crashed", async () => {
    await store.release(await claim("failed"));
    expect(await store.begin(request("failed"), 1000)).toEqual(started);
    await store.begin(request("died"), 1000);
    nowMs += 1001;
    expect(await store.begin(request("died"), 1000)).toEqual(started);
  });

  it("frees a key whose request crashed before the clock was set back", async () => {
    await store.begin(request("died"), 1000);
    nowMs -= 3_600_000;
    expect(await store.begin(request("died"), 1000)).toEqual(started);
  });

  it("does not let a slow request finish or release a key that was claimed again", async () => {
    const slow = await claim("k");
    nowMs += 1001;
    const second = await claim("k");
    expect(await store.finish(slow, { status: 201, body: "slow" })).toBe(false);
    await store.release(slow);
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "in_flight" });
    expect(await store.finish(second, { status: 201, body: "second" })).toBe(true);
    expect(await store.finish(slow, { status: 201, body: "slow" })).toBe(false);
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "done", body: "second" });
  });

  it("purges responses after 24 hours", async () => {
    await store.finish(await claim("k"), { status: 200, body: "{}" });
    nowMs += 24 * 3600 * 1000 + 1;
    expect(await store.removeExpired(10)).toBe(1);
    expect(await store.begin(request("k"), 1000)).toEqual(started);
  });

  it("purges in batches", async () => {
    for (const key of ["a", "b", "c"]) await store.finish(await claim(key), { status: 200, body: "{}" });
    nowMs += 24 * 3600 * 1000 + 1;
    expect(await store.removeExpired(2)).toBe(2);
    expect(await store.removeExpired(2)).toBe(1);
    expect(await store.removeExpired(2)).toBe(0);
  });

  it("forgets the oldest responses of an account that has too many, and no request that runs", async () => {
    const running = await claim("running");
    const keys = Array.from({ length: kept }, (_, i) => `k${i}`);
    for (const key of keys) {
      nowMs += 1;
      await store.finish(await claim(key), { status: 200, body: key });
    }
    expect(await store.begin(request(`k${kept - 1}`), 1000)).toMatchObject({ state: "done" });
    expect(await store.begin(request("k0"), 1000)).toEqual(started);
    expect(await store.finish(running, { status: 200, body: "{}" })).toBe(true);
  });

  it("lets exactly one of many requests run", async () => {
    const states = await Promise.all(Array.from({ length: 20 }, () => store.begin(request("race"), 1000)));
    expect(states.filter(({ state }) => state === "started")).toHaveLength(1);
  });

  it("lets exactly one of many take over from a crashed request", async () => {
    await store.begin(request("race"), 1000);
    nowMs += 1001;
    const states = await Promise.all(Array.from({ length: 20 }, () => store.begin(request("race"), 1000)));
    expect(states.filter(({ state }) => state === "started")).toHaveLength(1);
  });

  it("claims a key that is released while others try to claim it", async () => {
    for (let round = 0; round < 10; round++) {
      const held = await claim("race");
      const [, ...states] = await Promise.all([
        store.release(held),
        ...Array.from({ length: 5 }, () => store.begin(request("race"), 1000)),
      ]);
      for (const { state } of states) expect(["started", "in_flight"]).toContain(state);
      for (const one of states) if (one.state === "started") await store.release(one.claim);
    }
  });
}
