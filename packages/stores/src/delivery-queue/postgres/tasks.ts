import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryTask, WaitingWebhook, WantedTasks } from "@product-search/core/ports/delivery-queue.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import { type Kysely, sql } from "kysely";
import type { Database } from "../../database/schema.ts";
import { openSigningKeys, type SigningKeys } from "../signing-keys.ts";
import { type TaskRow, toTask } from "../task-row.ts";
import { voidDeliveries } from "./voiding.ts";

type Shares = readonly Pick<WantedTasks, "webhook" | "count">[];

/**
 * Skips from webhook to webhook in the index of waiting deliveries, however many deliveries each has. It compares the earliest
 * time: with `exists`, PostgreSQL reads all deliveries as long as it has no statistics of the table.
 */
export async function waitingWebhooks(db: Kysely<Database>, nowMs: number): Promise<WaitingWebhook[]> {
  const { rows } = await sql<WaitingWebhook>`
    with recursive waiting(webhook) as (
      select min(webhook_row_id) from deliveries where status = 'pending' and worker is null
      union all
      select (select min(webhook_row_id) from deliveries
              where status = 'pending' and worker is null and webhook_row_id > waiting.webhook)
      from waiting where waiting.webhook is not null)
    select w.row_id as key, w.account_id as "accountId", w.failing_since is not null as failing
    from waiting join webhooks w on w.row_id = waiting.webhook
    where w.deleted_at is null and (w.void_through > 0 or (
      select min(due_at) from deliveries
      where webhook_row_id = w.row_id and status = 'pending' and worker is null) <= ${nowMs}::bigint)
    order by w.row_id`.execute(db);
  return rows;
}

/** Leases up to this many of each webhook, earliest due first. Call it with the accounts locked. */
export async function takeTasks(
  transaction: Kysely<Database>,
  { clock, secretBox }: { clock: Clock; secretBox: SecretBox },
  shares: Shares,
  worker: string,
): Promise<DeliveryTask[]> {
  const nowMs = clock.now();
  const webhooks = new Map(shares.map(({ webhook }) => [webhook.key, webhook]));
  await voidDeliveries(transaction, [...webhooks.keys()]);
  const rows = await takeDue(transaction, shares, worker, nowMs);
  const keys = await signingKeysOf(
    transaction,
    secretBox,
    [...new Set(rows.map((row) => row.webhook))],
    nowMs,
  );
  return rows.flatMap(({ webhook: key, ...row }) => {
    const [webhook, signingKeys] = [webhooks.get(key), keys.get(key)];
    return webhook && signingKeys ? [toTask(row, webhook, signingKeys)] : [];
  });
}

/**
 * Materialised, so that the rows are selected and locked once, whatever the plan of the update. In the order of the index:
 * thousands of deliveries of one import are due at the same time, and a second column would sort all of them.
 */
async function takeDue(
  transaction: Kysely<Database>,
  shares: Shares,
  worker: string,
  nowMs: number,
): Promise<(TaskRow & { webhook: number })[]> {
  const wanted = shares.map(({ webhook, count }, position) => ({ position, webhook: webhook.key, count }));
  const { rows } = await sql<TaskRow & { webhook: number }>`
    with due as materialized (
      select position, d.row_id
      from json_to_recordset(${JSON.stringify(wanted)}::json) as wanted(position integer, webhook bigint, count integer)
      join webhooks w on w.row_id = wanted.webhook and w.deleted_at is null
      cross join lateral (
        select row_id from deliveries
        where webhook_row_id = w.row_id and status = 'pending' and worker is null and due_at <= ${nowMs}::bigint
          and row_id > w.void_through
        order by due_at limit wanted.count for update skip locked) d),
    taken as (
      update deliveries set worker = ${worker} where row_id = any (array(select row_id from due))
      returning row_id, webhook_row_id, event_row_id, attempts, failures, kind, due_at)
    select t.row_id as key, t.webhook_row_id as webhook, t.attempts, t.failures, t.kind, e.id as "eventId", e.body, e.traceparent, w.url
    from taken t join due on due.row_id = t.row_id join webhooks w on w.row_id = t.webhook_row_id
      join lateral (select id, body, traceparent from webhook_events where row_id = t.event_row_id limit 1) e on true
    order by due.position, t.due_at, t.row_id`.execute(transaction);
  return rows;
}

/** Newest first: the webhook's own key, then the former ones that still sign. */
async function signingKeysOf(
  transaction: Kysely<Database>,
  secretBox: SecretBox,
  webhooks: readonly number[],
  nowMs: number,
): Promise<Map<number, SigningKeys>> {
  if (webhooks.length === 0) return new Map();
  const { rows } = await sql<{ webhook: number; key: Uint8Array }>`
    select row_id as webhook, key, null::bigint as former from webhooks where row_id = any(${webhooks}::bigint[])
    union all
    select webhook_row_id, key, row_id from webhook_former_keys
    where webhook_row_id = any(${webhooks}::bigint[]) and until > ${nowMs}::bigint
    order by webhook, former desc nulls first`.execute(transaction);
  const sealed = Map.groupBy(rows, ({ webhook }) => webhook);
  return new Map(
    [...sealed].map(([webhook, keys]) => [
      webhook,
      openSigningKeys(
        secretBox,
        keys.map(({ key }) => key),
      ),
    ]),
  );
}
