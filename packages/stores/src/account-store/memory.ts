import { randomUUID } from "node:crypto";
import { type AccountStore, usesApartMs } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";

export function createMemoryAccountStore({
  database,
  clock,
}: {
  database: MemoryDatabase;
  clock: Clock;
}): AccountStore {
  const { accounts, tokens } = database.tables;
  const keyOf = (hash: Uint8Array) => Buffer.from(hash).toString("hex");
  const findById = (id: string) => tokens.find((token) => token.id === id);
  return {
    ensureAccount: (name) =>
      database.transact(() => {
        const account = accounts.get(name) ?? { id: randomUUID(), name };
        accounts.set(name, account);
        return account;
      }),
    addToken: ({ hash, accountId, scopes, ...given }) =>
      database.transact(() => {
        const [, account] = accounts.find(({ id }) => id === accountId) ?? [];
        if (account === undefined) throw new Error(`There is no account ${accountId}.`);
        const token = {
          ...given,
          id: randomUUID(),
          accountId,
          accountName: account.name,
          scopes: [...scopes],
          createdAtMs: clock.now(),
        };
        tokens.set(keyOf(hash), token);
        return token;
      }),
    findTokenByHash: async (hash) => tokens.get(keyOf(hash)),
    listTokens: async () => tokens.values(),
    revokeToken: (id) =>
      database.transact(() => {
        const [key, token] = findById(id) ?? [];
        if (key === undefined || token === undefined || token.revokedAtMs !== undefined) return false;
        tokens.set(key, { ...token, revokedAtMs: clock.now() });
        return true;
      }),
    recordUses: (uses) =>
      database.transact(() => {
        for (const [key, token] of tokens.entries()) {
          const usedAtMs = uses.get(token.id);
          if (usedAtMs === undefined) continue;
          const { lastUsedAtMs = Number.NEGATIVE_INFINITY } = token;
          if (lastUsedAtMs <= usedAtMs - usesApartMs) tokens.set(key, { ...token, lastUsedAtMs: usedAtMs });
        }
      }),
    usedSince: async (sinceMs, limit) =>
      tokens
        .entries()
        .map(([key, record]) => ({
          hash: Buffer.from(key, "hex"),
          record,
          usedAtMs: record.lastUsedAtMs ?? 0,
        }))
        .filter(({ usedAtMs }) => usedAtMs >= sinceMs)
        .toSorted((left, right) => right.usedAtMs - left.usedAtMs)
        .slice(0, limit)
        .map(({ hash, record }) => ({ hash, record })),
  };
}
