import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { IdempotencyClaim, IdempotencyStore } from "../../ports/idempotency-store.ts";
import { createSqliteAccountStore } from "../account-store/sqlite.ts";
import { type OpenDatabase, openDatabase } from "../database/open.ts";
import { createAesGcmSecretBox } from "../secret-box/aes-gcm.ts";
import { createSqliteIdempotencyStore } from "./sqlite.ts";

let dataDir: string;
let database: OpenDatabase;
let accountId: string;
const clock = { nowMs: 1_000_000, now: () => clock.nowMs };
const request = (key: string, text = "same") => ({
  accountId,
  operation: "createWebhook",
  key,
  requestHash: Buffer.from(text),
});

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "idempotency-"));
  database = await openDatabase(dataDir);
  accountId = (await createSqliteAccountStore({ db: database.db, clock }).ensureAccount("a")).id;
});
afterEach(async () => {
  await database.close();
  rmSync(dataDir, { recursive: true });
});

/** Claims the key, which must be free. */
async function claim(store: IdempotencyStore, key: string): Promise<IdempotencyClaim> {
  const state = await store.begin(request(key), 1000);
  if (state.state !== "started") throw new Error(`The key is ${state.state}.`);
  return state.claim;
}
const started = { state: "started", claim: expect.objectContaining({ operation: "createWebhook" }) };

const createStore = () =>
  createSqliteIdempotencyStore({
    db: database.db,
    clock,
    secretBox: createAesGcmSecretBox({ secretKey: undefined, dataDir }),
  });

describe("an idempotency store", () => {
  it("lets one request run, and gives its response to the next", async () => {
    const store = createStore();
    const first = await claim(store, "k");
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "in_flight" });
    expect(await store.finish(first, { status: 201, body: '{"apiKey":"whsec_secret"}' })).toBe(true);
    expect(await store.begin(request("k"), 1000)).toEqual({
      state: "done",
      status: 201,
      body: '{"apiKey":"whsec_secret"}',
    });
  });

  it("keeps answers unreadable in the store", async () => {
    const store = createStore();
    await store.finish(await claim(store, "k"), { status: 201, body: "whsec_secret" });
    const row = await database.db.selectFrom("idempotency").selectAll().executeTakeFirstOrThrow();
    expect(Buffer.from(row.body ?? []).toString("latin1")).not.toContain("whsec");
  });

  it("refuses the key with another request", async () => {
    const store = createStore();
    await store.begin(request("k"), 1000);
    expect(await store.begin(request("k", "other"), 1000)).toEqual({ state: "mismatch" });
  });

  it("frees a key whose request failed or died", async () => {
    const store = createStore();
    await store.release(await claim(store, "failed"));
    expect(await store.begin(request("failed"), 1000)).toEqual(started);
    await store.begin(request("died"), 1000);
    clock.nowMs += 1001;
    expect(await store.begin(request("died"), 1000)).toEqual(started);
  });

  it("frees a key whose request died before the clock was set back", async () => {
    const store = createStore();
    await store.begin(request("died"), 1000);
    clock.nowMs -= 3_600_000;
    expect(await store.begin(request("died"), 1000)).toEqual(started);
  });

  it("lets a slow request whose key was claimed again neither finish nor release it", async () => {
    const store = createStore();
    const slow = await claim(store, "k");
    clock.nowMs += 1001;
    const second = await claim(store, "k");
    expect(await store.finish(slow, { status: 201, body: "slow" })).toBe(false);
    await store.release(slow);
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "in_flight" });
    expect(await store.finish(second, { status: 201, body: "second" })).toBe(true);
    expect(await store.finish(slow, { status: 201, body: "slow" })).toBe(false);
    expect(await store.begin(request("k"), 1000)).toMatchObject({ state: "done", body: "second" });
  });

  it("forgets after 24 hours", async () => {
    const store = createStore();
    await store.finish(await claim(store, "k"), { status: 200, body: "{}" });
    clock.nowMs += 24 * 3600 * 1000 + 1;
    expect(await store.removeExpired()).toBe(1);
    expect(await store.begin(request("k"), 1000)).toEqual(started);
  });

  it("lets exactly one of many through", async () => {
    const store = createStore();
    const states = await Promise.all(Array.from({ length: 20 }, () => store.begin(request("race"), 1000)));
    expect(states.filter(({ state }) => state === "started")).toHaveLength(1);
  });
});

it("a store written by a newer release is refused with a remedy", async () => {
  database.connection.pragma("user_version = 99");
  await expect(openDatabase(dataDir)).rejects.toThrow(/version 99.*newer release/s);
});
