import type { AuditLog } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";

export function createMemoryAuditLog({
  database,
  clock,
}: {
  database: MemoryDatabase;
  clock: Clock;
}): AuditLog {
  const { audit } = database.tables;
  return {
    writer: (actor) => ({
      record: (action, subject, details = {}) =>
        database.transact(() => {
          const entry = { atMs: clock.now(), action, subject, details, actor };
          audit.set(database.next("audit"), entry);
        }),
    }),
    async list({ limit, before = Number.MAX_SAFE_INTEGER }) {
      const newest = audit
        .entries()
        .filter(([row]) => row < before)
        .reverse();
      const last = newest[limit - 1];
      return {
        entries: newest.slice(0, limit).map(([, entry]) => entry),
        ...(newest.length > limit && last !== undefined && { next: last[0] }),
      };
    },
    // Nothing in memory is that old.
    removeAddresses: async () => 0,
  };
}
