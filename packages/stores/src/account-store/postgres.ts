import { type AccountStore, usesApartMs } from "@product-search/core/ports/account-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { createSqlAccountStore } from "./sql.ts";

export function createPostgresAccountStore(parts: { db: Kysely<Database>; clock: Clock }): AccountStore {
  return {
    ...createSqlAccountStore(parts),
    /**
     * All threads of all nodes record the uses of the same tokens. So a token that one of them records now is left out, and
     * nobody waits for the others, least of all the statement that revokes a token.
     */
    async recordUses(uses) {
      if (uses.size === 0) return;
      await sql`
        update tokens set last_used_at = later.used_at
        from (
          select t.id, u.used_at
          from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::bigint[]) u (id, used_at)
          join tokens t on t.id = u.id
          where t.last_used_at is null or t.last_used_at <= u.used_at - ${usesApartMs}::bigint
          for no key update of t skip locked
        ) later
        where tokens.id = later.id`.execute(parts.db);
    },
  };
}
