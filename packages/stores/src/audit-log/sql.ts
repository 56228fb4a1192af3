import {
  type Actor,
  type AuditAction,
  type AuditEntry,
  type AuditLog,
  auditActions,
} from "@product-search/core/ports/audit-log.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely, Selectable } from "kysely";
import type { AuditLogTable, Database } from "../database/schema.ts";

/** For SQLite and PostgreSQL. */
export function createSqlAuditLog({ db, clock }: { db: Kysely<Database>; clock: Clock }): AuditLog {
  return {
    writer: (actor) => ({
      async record(action, subject, details = {}) {
        await db
          .insertInto("audit_log")
          .values({ at: clock.now(), action, subject, details: JSON.stringify(details), ...toColumns(actor) })
          .execute();
      },
    }),
    async list({ limit, before }) {
      const newest = db
        .selectFrom("audit_log")
        .selectAll()
        .orderBy("row_id", "desc")
        .limit(limit + 1);
      const rows = await (before === undefined ? newest : newest.where("row_id", "<", before)).execute();
      const last = rows[limit - 1];
      return {
        entries: rows.slice(0, limit).map(toEntry),
        ...(rows.length > limit && last !== undefined && { next: last.row_id }),
      };
    },
  };
}

function toColumns(actor: Actor) {
  if (actor.kind === "command") {
    return { token_id: null, account_id: null, user: actor.user, origin: actor.host };
  }
  return { token_id: actor.tokenId, account_id: actor.accountId, user: null, origin: actor.address };
}

function toEntry(row: Selectable<AuditLogTable>): AuditEntry {
  return {
    atMs: row.at,
    action: asAction(row.action),
    subject: row.subject,
    details: JSON.parse(row.details),
    actor: toActor(row),
  };
}

function toActor({ token_id, account_id, user, origin }: Selectable<AuditLogTable>): Actor {
  if (token_id === null || account_id === null) return { kind: "command", user: user ?? "", host: origin };
  return { kind: "token", tokenId: token_id, accountId: account_id, address: origin };
}

function asAction(text: string): AuditAction {
  const action = auditActions.find((one) => one === text);
  if (action === undefined) throw new Error(`The audit log holds the unknown action "${text}".`);
  return action;
}
