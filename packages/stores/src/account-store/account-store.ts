import { randomUUID } from "node:crypto";
import {
  type AccountStore,
  scopes as knownScopes,
  type Scope,
  type TokenRecord,
  usesApartMs,
} from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { type Kysely, type Selectable, sql } from "kysely";
import type { Database, TokensTable } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

/** For SQLite, and for PostgreSQL except that uses are recorded in another way there. */
export function createSqlAccountStore({ db, clock }: { db: Kysely<Database>; clock: Clock }): AccountStore {
  const tokens = () =>
    db
      .selectFrom("tokens")
      .innerJoin("accounts", "accounts.id", "tokens.account_id")
      .selectAll("tokens")
      .select("accounts.name as account_name");

  return {
    async ensureAccount(name) {
      await db
        .insertInto("accounts")
        .values({ id: randomUUID(), name, created_at: clock.now() })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute();
      return db
        .selectFrom("accounts")
        .select(["id", "name"])
        .where("name", "=", name)
        .executeTakeFirstOrThrow();
    },

    async addToken({ accountId, hash, hint, scopes, expiresAtMs, networks, publicOrigins, filter }) {
      const id = randomUUID();
      await db
        .insertInto("tokens")
        .values({
          id,
          account_id: accountId,
          hash,
          hint,
          scopes: scopes.join(","),
          created_at: clock.now(),
          expires_at: expiresAtMs ?? null,
          revoked_at: null,
          last_used_at: null,
          networks: networks?.join(",") ?? null,
          public_origins: publicOrigins?.join(",") ?? null,
          filter: filter ?? null,
        })
        .execute();
      return toRecord(await tokens().where("tokens.id", "=", id).executeTakeFirstOrThrow());
    },

    async findTokenByHash(hash) {
      const row = await tokens().where("tokens.hash", "=", hash).executeTakeFirst();
      return row && toRecord(row);
    },

    async listTokens() {
      return (await tokens().orderBy("tokens.created_at").orderBy("tokens.id").execute()).map(toRecord);
    },

    async revokeToken(id) {
      const changed = await db
        .updateTable("tokens")
        .set({ revoked_at: clock.now() })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return changed.numUpdatedRows > 0n;
    },

    async recordUses(uses) {
      if (uses.size === 0) return;
      await transact(db, async (transaction) => {
        for (const [id, usedAtMs] of uses) {
          await transaction
            .updateTable("tokens")
            .set({ last_used_at: usedAtMs })
            .where("id", "=", id)
            .where((where) =>
              where.or([
                where("last_used_at", "is", null),
                where("last_used_at", "<=", usedAtMs - usesApartMs),
              ]),
            )
            .execute();
        }
      });
    },

    async usedSince(sinceMs, limit) {
      const rows = await tokens()
        .where("tokens.last_used_at", ">=", sinceMs)
        .orderBy("tokens.last_used_at", "desc")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ hash: row.hash, record: toRecord(row) }));
    },
  };
}

function toRecord(row: Selectable<TokensTable> & { account_name: string }): TokenRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    hint: row.hint,
    scopes: row.scopes.split(",").filter((scope): scope is Scope => knownScopes.some((one) => one === scope)),
    createdAtMs: row.created_at,
    ...(row.expires_at !== null && { expiresAtMs: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAtMs: row.revoked_at }),
    ...(row.last_used_at !== null && { lastUsedAtMs: row.last_used_at }),
    ...(row.networks !== null && { networks: row.networks.split(",") }),
    ...(row.public_origins !== null && { publicOrigins: row.public_origins.split(",") }),
    ...(row.filter !== null && { filter: row.filter }),
  };
}

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
