import { randomUUID } from "node:crypto";
import { scopes as allScopes, type PeopleStore, type Person } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely, Selectable } from "kysely";
import type { Database, PeopleTable } from "../database/schema.ts";

/** For SQLite and PostgreSQL. */
export function createSqlPeopleStore({ db, clock }: { db: Kysely<Database>; clock: Clock }): PeopleStore {
  return {
    async invite({ name, accountId, scopes, hash, untilMs }) {
      const now = clock.now();
      const invitation = { scopes: scopes.join(","), invite_hash: hash, invite_until: untilMs };
      const row = await db
        .insertInto("people")
        .values({
          id: randomUUID(),
          name,
          account_id: accountId,
          created_at: now,
          sessions_from: now,
          revoked_at: null,
          signed_in_at: null,
          ...invitation,
        })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ ...invitation, revoked_at: null }))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toPerson(row);
    },

    async findInvited(hash) {
      const row = await db
        .selectFrom("people")
        .selectAll()
        .where("invite_hash", "=", hash)
        .where("invite_until", ">", clock.now())
        .where("revoked_at", "is", null)
        .executeTakeFirst();
      return row && toPerson(row);
    },

    async accept(hash) {
      const row = await db
        .updateTable("people")
        .set({ invite_hash: null, invite_until: null, signed_in_at: clock.now() })
        .where("invite_hash", "=", hash)
        .where("invite_until", ">", clock.now())
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && toPerson(row);
    },

    async find(id) {
      const row = await db.selectFrom("people").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toPerson(row);
    },

    async list() {
      return (await db.selectFrom("people").selectAll().orderBy("name").execute()).map(toPerson);
    },

    async revoke(name) {
      const now = clock.now();
      const row = await db
        .updateTable("people")
        // A session that begins in the same millisecond is over as well.
        .set({ revoked_at: now, sessions_from: now + 1, invite_hash: null, invite_until: null })
        .where("name", "=", name)
        .where("revoked_at", "is", null)
        .returningAll()
        .executeTakeFirst();
      return row && toPerson(row);
    },
  };
}

function toPerson(row: Selectable<PeopleTable>): Person {
  const names = row.scopes.split(",");
  return {
    id: row.id,
    name: row.name,
    accountId: row.account_id,
    scopes: allScopes.filter((scope) => names.includes(scope)),
    createdAtMs: row.created_at,
    sessionsFromMs: row.sessions_from,
    ...(row.revoked_at !== null && { revokedAtMs: row.revoked_at }),
    ...(row.signed_in_at !== null && { signedInAtMs: row.signed_in_at }),
    ...(row.invite_until !== null && { invitedUntilMs: row.invite_until }),
  };
}
