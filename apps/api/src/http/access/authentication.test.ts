import { createAccessToken, hashAccessToken } from "@product-search/core/domain/access-token.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { AccountStore } from "@product-search/core/ports/accounts.ts";
import { createSqlAccountStore } from "@product-search/stores/account-store/account-store.ts";
import { openMemoryDatabase } from "@product-search/stores/database/open.ts";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createAuthenticator } from "./authentication.ts";

/** `pass` moves both times on, as time does. */
const clock = {
  nowMs: 0,
  monotonicMs: 0,
  now: () => clock.nowMs,
  pass(ms: number) {
    clock.nowMs += ms;
    clock.monotonicMs += ms;
  },
};
let store: AccountStore;
let accountId: string;
let isDown: boolean;

beforeEach(async () => {
  clock.nowMs = Date.UTC(2026, 4, 1);
  isDown = false;
  const { db, close } = await openMemoryDatabase();
  onTestFinished(close);
  store = createSqlAccountStore({ db, clock });
  accountId = (await store.ensureAccount("own")).id;
});

async function addToken() {
  const token = createAccessToken();
  const { id } = await store.addToken({
    accountId,
    hash: hashAccessToken(token),
    hint: token.slice(0, 8),
    scopes: ["search"],
  });
  return { id, token };
}

/** One of several threads or nodes on the same store. */
function createThread(limits: { maxCachedTokens?: number } = {}) {
  const unlessDown =
    <Args extends unknown[], Result>(read: (...args: Args) => Promise<Result>) =>
    (...args: Args) =>
      isDown ? Promise.reject(new ApiError("unavailable", "The database cannot be reached.")) : read(...args);
  const authenticator = createAuthenticator({
    accountStore: {
      findTokenByHash: unlessDown(store.findTokenByHash),
      recordUses: unlessDown(store.recordUses),
      usedSince: unlessDown(store.usedSince),
    },
    clock,
    monotonicMs: () => clock.monotonicMs,
    ...limits,
  });
  const codeOf = async (token: string) => {
    try {
      await authenticator.authenticate(`Bearer ${token}`, "203.0.113.7");
      return "accepted";
    } catch (error) {
      return error instanceof ApiError ? error.code : error;
    }
  };
  return { ...authenticator, codeOf };
}

it("drops uses that a full disk cannot hold, and records later ones", async () => {
  const { token } = await addToken();
  const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
  let isFull = true;
  const recorded: number[] = [];
  const thread = createAuthenticator({
    accountStore: {
      ...store,
      async recordUses(uses) {
        if (isFull) throw full;
        recorded.push(...uses.values());
      },
    },
    clock,
    monotonicMs: () => clock.monotonicMs,
  });
  await thread.authenticate(`Bearer ${token}`, "203.0.113.7");
  await thread.flush();
  isFull = false;
  await thread.flush();
  expect(recorded).toEqual([]);
  await thread.authenticate(`Bearer ${token}`, "203.0.113.7");
  await thread.flush();
  expect(recorded).toEqual([clock.nowMs]);
});

describe("during an outage of the store", () => {
  it("accepts a token that another thread has used, for a minute", async () => {
    const [one, other] = [createThread(), createThread()];
    const [{ token: used }, { token: unused }] = [await addToken(), await addToken()];
    expect(await one.codeOf(used)).toBe("accepted");
    await one.flush();
    await other.confirmUsed();
    isDown = true;
    await expect(other.confirmUsed()).rejects.toThrow("cannot be reached");
    clock.pass(59_000);
    expect(await other.codeOf(used)).toBe("accepted");
    expect(await other.codeOf(unused)).toBe("unavailable");
    clock.pass(1000);
    expect(await other.codeOf(used)).toBe("unavailable");
  });

  it("refuses a token that was revoked before", async () => {
    const [one, other] = [createThread(), createThread()];
    const { id, token } = await addToken();
    for (const thread of [one, other]) expect(await thread.codeOf(token)).toBe("accepted");
    await one.flush();
    clock.pass(10_000);
    await store.revokeToken(id);
    await other.confirmUsed();
    isDown = true;
    expect(await other.codeOf(token)).toBe("unauthorized");
  });

  it("does not accept a token longer than a minute because of an older confirmation", async () => {
    const [one, other] = [createThread(), createThread()];
    const { id, token } = await addToken();
    expect(await one.codeOf(token)).toBe("accepted");
    await one.flush();
    await other.confirmUsed();
    await store.revokeToken(id);
    clock.pass(1000);
    expect(await other.codeOf(token)).toBe("unauthorized");
    isDown = true;
    clock.pass(1000);
    expect(await other.codeOf(token)).toBe("unauthorized");
  });
});

it("refuses a revoked token within a second, although it was confirmed a moment before", async () => {
  const thread = createThread();
  const { id, token } = await addToken();
  expect(await thread.codeOf(token)).toBe("accepted");
  await thread.flush();
  await thread.confirmUsed();
  await store.revokeToken(id);
  clock.pass(999);
  expect(await thread.codeOf(token)).toBe("unauthorized");
});

it("refuses a revoked token within a second, although the database's clock jumped back", async () => {
  const thread = createThread();
  const { id, token } = await addToken();
  expect(await thread.codeOf(token)).toBe("accepted");
  await store.revokeToken(id);
  clock.pass(999);
  clock.nowMs -= 5000;
  expect(await thread.codeOf(token)).toBe("unauthorized");
});

it("forgets the token that was confirmed longest ago when it remembers too many", async () => {
  const thread = createThread({ maxCachedTokens: 20 });
  const tokens = [];
  for (let n = 0; n <= 20; n++) {
    const { token } = await addToken();
    tokens.push(token);
    await thread.authenticate(`Bearer ${token}`, "203.0.113.7");
  }
  isDown = true;
  clock.pass(1000);
  expect(await thread.codeOf(tokens[0] ?? "")).toBe("unavailable");
  expect(await thread.codeOf(tokens[1] ?? "")).toBe("accepted");
  expect(await thread.codeOf(tokens[20] ?? "")).toBe("accepted");
});
