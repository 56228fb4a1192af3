import type { Clock } from "@product-search/core/ports/clock.ts";
import type { RateBudget, RateReport } from "@product-search/core/ports/quotas.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

/** A node without a heartbeat for this time counts as dead. */
const nodeLivesMs = 10_000;
/** How often dead nodes and former windows are removed. */
const removeEveryMs = 30_000;

/** Budgets in tables. What is granted is on disk before it is admitted: after a crash of the server it would be granted again. */
export function createPostgresRateBudget({ db, clock }: { db: Kysely<Database>; clock: Clock }): RateBudget {
  let removedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async report(reports) {
      if (reports.length === 0) return [];
      const { rows } = await countReports(reports).execute(db);
      const replies = new Map(rows.map((row) => [nameOf(row), row]));
      return reports.map((report) => {
        const { granted = 0, used = 0 } = replies.get(nameOf(report)) ?? {};
        return { granted, used };
      });
    },
    async beat(node) {
      const nowMs = clock.now();
      if (Math.abs(nowMs - removedAtMs) >= removeEveryMs) {
        removedAtMs = nowMs;
        await sql`delete from rate_nodes where seen_at < ${nowMs - 10 * nodeLivesMs}`.execute(db);
        await sql`delete from rate_windows where ends_at < ${nowMs - nodeLivesMs}`.execute(db);
      }
      // The count does not see this node's own row yet.
      const { rows } = await sql<{ nodes: number }>`
        with seen as (
          insert into rate_nodes (node, seen_at) select ${node}, ${nowMs}::bigint from ${withoutFlush}
          on conflict (node) do update set seen_at = excluded.seen_at
        )
        select 1 + count(*) as nodes from rate_nodes
        where node <> ${node} and seen_at >= ${nowMs - nodeLivesMs}`.execute(db);
      return rows[0]?.nodes ?? 1;
    },
  };
}

function nameOf({ key, window }: { key: string; window: number }): string {
  return `${window} ${key}`;
}

/** One statement for all, in the order of the keys, so that two nodes never deadlock. */
function countReports(reports: readonly RateReport[]) {
  const reported = sql`(excluded.taken - excluded.granted)`;
  const granted = sql`least(excluded.granted, greatest(0, excluded.most - w.taken - ${reported}))`;
  return sql<{ key: string; window: number; granted: number; used: number }>`
    insert into rate_windows as w (key, "window", ends_at, most, taken, granted)
    select key, "window", "endsAtMs", "limit", used + granted, granted
    from json_to_recordset(${JSON.stringify(reports)}::json)
      as a(key text, "window" bigint, "endsAtMs" bigint, "limit" bigint, used bigint, asked bigint)
      cross join lateral (select least(asked, greatest(0, "limit" - used)) as granted) as admitted
    order by key, "window"
    on conflict (key, "window") do update set
      most = excluded.most, taken = w.taken + ${reported} + ${granted}, granted = ${granted}
    returning key, "window", granted, taken as used`;
}

/** A heartbeat does not wait until it is on disk: the next one comes two seconds later. */
const withoutFlush = sql`(select set_config('synchronous_commit', 'off', true)) as setting`;
