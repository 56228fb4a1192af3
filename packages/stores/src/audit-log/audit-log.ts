import {
  type Actor,
  type AuditAction,
  type AuditEntry,
  type AuditLog,
  auditActions,
} from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely, Selectable } from "kysely";
import type { AuditLogTable, Database } from "../database/schema.ts";

/** For SQLite and PostgreSQL. */
export function createSqlAuditLog({ db, clock }: { db: Kysely<Database>; clock: Clock }): AuditLog {
  return {
    writer: (actor) => ({
      async record(action, subject, details = {}) {
        const at = clock.now();
        const { row_id } = await db
          .insertInto("audit_log")
          .values({ at, action, subject, details: JSON.stringify(details), ...toColumns(actor) })
          .returning("row_id")
          .executeTakeFirstOrThrow();
        if (actor.kind === "command" || actor.address === undefined) return;
        await db.insertInto("audit_addresses").values({ row_id, address: actor.address, at }).execute();
      },
    }),
    async list({ limit, before }) {
      const newest = db
        .selectFrom("audit_log")
        .leftJoin("audit_addresses", "audit_addresses.row_id", "audit_log.row_id")
        .selectAll("audit_log")
        .select("audit_addresses.address")
        .orderBy("audit_log.row_id", "desc")
        .limit(limit + 1);
      const rows = await (before === undefined
        ? newest
        : newest.where("audit_log.row_id", "<", before)
      ).execute();
      const last = rows[limit - 1];
      return {
        entries: rows.slice(0, limit).map(toEntry),
        ...(rows.length > limit && last !== undefined && { next: last.row_id }),
      };
    },
    async removeAddresses(beforeMs, limit) {
      const oldest = db
        .selectFrom("audit_addresses")
        .select("row_id")
        .where("at", "<", beforeMs)
        .orderBy("at")
        .limit(limit);
      const { numDeletedRows } = await db
        .deleteFrom("audit_addresses")
        .where("row_id", "in", oldest)
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}

type AuditRow = Selectable<AuditLogTable> & { address: string | null };

function toColumns(actor: Actor) {
  if (actor.kind === "command") {
    return { token_id: null, account_id: null, user: actor.user, origin: actor.host };
  }
  const { accountId } = actor;
  if (actor.kind === "person") return { token_id: null, account_id: accountId, user: actor.name, origin: "" };
  return { token_id: actor.tokenId, account_id: accountId, user: null, origin: "" };
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    atMs: row.at,
    action: asAction(row.action),
    subject: row.subject,
    details: JSON.parse(row.details),
    actor: toActor(row),
  };
}

function toActor({ token_id, account_id, user, origin, address }: AuditRow): Actor {
  if (account_id === null) return { kind: "command", user: user ?? "", host: origin };
  const request = { accountId: account_id, ...(address !== null && { address }) };
  return token_id === null
    ? { kind: "person", name: user ?? "", ...request }
    : { kind: "token", tokenId: token_id, ...request };
}

function asAction(text: string): AuditAction {
  const action = auditActions.find((one) => one === text);
  if (action === undefined) throw new Error(`The audit log holds the unknown action "${text}".`);
  return action;
}
