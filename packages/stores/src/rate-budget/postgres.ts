import type { Clock } from "@product-search/core/ports/clock.ts";
import type { BudgetRequest, BudgetSlice, RateBudget } from "@product-search/core/ports/quotas.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/schema.ts";

/** A node without a heartbeat for this time counts as dead. */
const nodeLivesMs = 10_000;
/** How often dead nodes and former windows are removed. */
const removeEveryMs = 30_000;
/** A slice is at most this part of the limit. */
const largestShare = 20;
/** Each node gets at most this part of what is left. */
const sharesOfRest = 4;

/** Budgets in tables. A slice is on disk before it is given out: after a crash of the server it would be given out again. */
export function createPostgresRateBudget({ db, clock }: { db: Kysely<Database>; clock: Clock }): RateBudget {
  let removedAtMs = Number.NEGATIVE_INFINITY;
  return {
    async take(requests) {
      if (requests.length === 0) return [];
      const since = clock.now() - nodeLivesMs;
      const { rows } = await takeSlices(requests, since).execute(db);
      const slices = new Map(rows.map((row) => [nameOf(row), row]));
      return requests.map((request) => {
        const { granted = 0, left = 0 } = slices.get(nameOf(request)) ?? {};
        return { granted, left };
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

type SliceRow = BudgetSlice & { key: string; window: number };

function nameOf({ key, window }: { key: string; window: number }): string {
  return `${window} ${key}`;
}

/** One statement for all, in the order of the keys, so that two nodes never deadlock. */
function takeSlices(requests: readonly BudgetRequest[], sinceMs: number) {
  const slice = (taken: ReturnType<typeof sql>, most: ReturnType<typeof sql>) => sql`
    rate_slice(${taken}, ${most}, ${largestShare},
      ${sharesOfRest} * (select greatest(1, count(*)) from rate_nodes where seen_at >= ${sinceMs}::bigint))`;
  return sql<SliceRow>`
    insert into rate_windows as w (key, "window", ends_at, most, taken, granted)
    select key, "window", "endsAtMs", "limit", spent + slice, slice
    from json_to_recordset(${JSON.stringify(requests)}::json)
      as a(key text, "window" bigint, "endsAtMs" bigint, "limit" bigint, spent bigint)
      cross join lateral (select ${slice(sql`spent`, sql`"limit"`)} as slice) as computed
    order by key, "window"
    on conflict (key, "window") do update set
      most = excluded.most,
      taken = w.taken + ${excludedSpent} + ${slice(sql`w.taken + ${excludedSpent}`, sql`excluded.most`)},
      granted = ${slice(sql`w.taken + ${excludedSpent}`, sql`excluded.most`)}
    returning key, "window", granted, greatest(0, most - taken) as "left"`;
}

/** A heartbeat does not wait until it is on disk: the next one comes two seconds later. */
const withoutFlush = sql`(select set_config('synchronous_commit', 'off', true)) as setting`;

const excludedSpent = sql`(excluded.taken - excluded.granted)`;
