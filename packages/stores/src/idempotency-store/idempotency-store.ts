import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type IdempotencyState,
  type IdempotencyStore,
  type IdempotentRequest,
  keptResponsesOfAccount,
} from "@product-search/core/ports/idempotency-store.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";
import { transact } from "../database/transact.ts";

const keptMs = 24 * 3600 * 1000;
/** More than one, so that they are not counted in vain. */
const forgottenAtOnce = 100;

/** For SQLite and PostgreSQL. */
export function createSqlIdempotencyStore({
  db,
  clock,
  secretBox,
  kept = keptResponsesOfAccount,
}: {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  /** Responses of an account. */
  kept?: number | undefined;
}): IdempotencyStore {
  const row = ({ accountId, operation, key }: IdempotentRequest) => ({
    account_id: accountId,
    operation,
    key,
  });

  return {
    async begin(request, leaseMs) {
      const now = clock.now();
      const claim = randomUUID();
      const fresh = {
        ...row(request),
        request_hash: request.requestHash,
        status: null,
        body: null,
        created_at: now,
        lease_until: now + leaseMs,
        claim,
      };
      return transact(db, async (transaction): Promise<IdempotencyState> => {
        // One statement claims a key that is new, expired, or of a crashed request, so that two claims cannot both
        // succeed.
        const claimed = await transaction
          .insertInto("idempotency")
          .values(fresh)
          .onConflict((conflict) =>
            conflict
              .columns(["account_id", "operation", "key"])
              .doUpdateSet(fresh)
              .where((where) =>
                where.or([
                  where("idempotency.created_at", "<", now - keptMs),
                  where.and([
                    where("idempotency.status", "is", null),
                    // The latter if the clock was set back.
                    where.or([
                      where("idempotency.lease_until", "<", now),
                      where("idempotency.lease_until", ">", now + leaseMs),
                    ]),
                  ]),
                ]),
              ),
          )
          .executeTakeFirst();
        if ((claimed.numInsertedOrUpdatedRows ?? 0n) > 0n) {
          await forgetOldest(transaction, request.accountId, kept);
          return { state: "started", claim: { ...request, claim } };
        }
        // The statement above has locked the row even if it changed nothing, so the row still exists.
        const held = await transaction
          .selectFrom("idempotency")
          .selectAll()
          .where("account_id", "=", request.accountId)
          .where("operation", "=", request.operation)
          .where("key", "=", request.key)
          .executeTakeFirstOrThrow();
        if (!Buffer.from(held.request_hash).equals(request.requestHash)) return { state: "mismatch" };
        if (held.status === null || held.body === null) {
          return { state: "in_flight", retryAfterSeconds: Math.max(1, (held.lease_until - now) / 1000) };
        }
        return { state: "done", status: held.status, body: secretBox.open(held.body) };
      });
    },

    async finish(claim, { status, body }) {
      const finished = await db
        .updateTable("idempotency")
        .set({ status, body: secretBox.seal(body) })
        .where("account_id", "=", claim.accountId)
        .where("operation", "=", claim.operation)
        .where("key", "=", claim.key)
        .where("claim", "=", claim.claim)
        .where("status", "is", null)
        .executeTakeFirst();
      return finished.numUpdatedRows > 0n;
    },

    async release(claim) {
      await db
        .deleteFrom("idempotency")
        .where("account_id", "=", claim.accountId)
        .where("operation", "=", claim.operation)
        .where("key", "=", claim.key)
        .where("claim", "=", claim.claim)
        .where("status", "is", null)
        .execute();
    },

    async removeExpired(limit) {
      const removed = await sql`delete from idempotency where (account_id, operation, key) in (
        select account_id, operation, key from idempotency where created_at < ${clock.now() - keptMs}
        limit ${sql.lit(limit)})`.execute(db);
      return Number(removed.numAffectedRows ?? 0);
    },
  };
}

/** Only what has a response: a claim belongs to a running request. */
async function forgetOldest(db: Kysely<Database>, accountId: string, kept: number): Promise<void> {
  const { count } = await db
    .selectFrom("idempotency")
    .select(({ fn }) => fn.countAll().as("count"))
    .where("account_id", "=", accountId)
    .executeTakeFirstOrThrow();
  if (Number(count) <= kept) return;
  await sql`delete from idempotency where (account_id, operation, key) in (
    select account_id, operation, key from idempotency where account_id = ${accountId} and status is not null
    order by created_at limit ${sql.lit(forgottenAtOnce)})`.execute(db);
}
