import type { AccountStore, TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

export interface AccountStoreFixture {
  store: AccountStore;
  close(): Promise<void>;
}

/** Tests for every account store. */
export function describeAccountStore(open: (clock: Clock) => Promise<AccountStoreFixture>): void {
  let fixture: AccountStoreFixture;
  let store: AccountStore;
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.UTC(2026, 4, 1);
    fixture = await open({ now: () => nowMs });
    store = fixture.store;
  });
  afterEach(() => fixture.close());

  const addToken = async (
    hash: string,
    more: { networks?: string[]; expiresAtMs?: number; publicOrigins?: string[]; filter?: string } = {},
  ) => {
    const account = await store.ensureAccount("own");
    const token = { accountId: account.id, hash: Buffer.from(hash), hint: `hint ${hash}` };
    return store.addToken({ ...token, scopes: ["search", "webhooks"], ...more });
  };
  const find = (hash: string) => store.findTokenByHash(Buffer.from(hash));

  test("creates an account once, even with concurrent calls", async () => {
    const accounts = await Promise.all(Array.from({ length: 10 }, () => store.ensureAccount("own")));
    expect(new Set(accounts.map(({ id }) => id)).size).toBe(1);
    expect(accounts[0]).toEqual({ id: expect.any(String), name: "own" });
    expect((await store.ensureAccount("other")).id).not.toBe(accounts[0]?.id);
  });

  test("finds a token by its hash, as it was added", async () => {
    const networks = ["10.0.0.0/8", "::1/128"];
    const publicOrigins = ["https://shop.example", "https://other.example:8443"];
    const filter = "brands=Ilmari&onSale=true";
    const added = await addToken("a", { networks, publicOrigins, filter, expiresAtMs: nowMs + 1000 });
    expect(added).toEqual({
      id: expect.any(String),
      accountId: expect.any(String),
      accountName: "own",
      hint: "hint a",
      scopes: ["search", "webhooks"],
      createdAtMs: nowMs,
      expiresAtMs: nowMs + 1000,
      networks,
      publicOrigins,
      filter,
    } satisfies TokenRecord);
    expect(await find("a")).toEqual(added);
    expect(await find("b")).toBeUndefined();
  });

  test("lists tokens, the oldest first", async () => {
    const added = [await addToken("a")];
    nowMs += 1;
    added.push(await addToken("b"));
    expect(await store.listTokens()).toEqual(added);
  });

  test("revokes a token once, and still returns it", async () => {
    const { id } = await addToken("a");
    nowMs += 5;
    const revoked = await Promise.all([store.revokeToken(id), store.revokeToken(id)]);
    expect(revoked.toSorted()).toEqual([false, true]);
    expect(await find("a")).toMatchObject({ revokedAtMs: nowMs });
    expect(await store.revokeToken("absent")).toBe(false);
  });

  test("keeps the latest use to within five seconds, whatever the order of recording", async () => {
    const [first, second, third] = [await addToken("a"), await addToken("b"), await addToken("c")];
    await store.recordUses(new Map());
    await store.recordUses(
      new Map([
        [first.id, 20_000],
        [second.id, 5000],
        [third.id, 5000],
        ["absent", 1],
      ]),
    );
    await store.recordUses(
      new Map([
        [second.id, 10_000],
        [third.id, 9999],
        [first.id, 10_000],
      ]),
    );
    expect(await find("a")).toMatchObject({ lastUsedAtMs: 20_000 });
    expect(await find("b")).toMatchObject({ lastUsedAtMs: 10_000 });
    expect(await find("c")).toMatchObject({ lastUsedAtMs: 5000 });
  });

  test("lists the tokens used since a time, the newest uses first, and revoked ones too", async () => {
    const [first, second, third] = [await addToken("a"), await addToken("b"), await addToken("c")];
    await addToken("never used");
    await store.recordUses(
      new Map([
        [first.id, 10],
        [second.id, 30],
        [third.id, 20],
      ]),
    );
    await store.revokeToken(third.id);
    const used = await store.usedSince(20, 10);
    expect(used.map(({ hash }) => Buffer.from(hash).toString())).toEqual(["b", "c"]);
    expect(used.map(({ record }) => record)).toEqual([await find("b"), await find("c")]);
    expect(await store.usedSince(0, 1)).toHaveLength(1);
    expect(await store.usedSince(31, 10)).toEqual([]);
  });
}
