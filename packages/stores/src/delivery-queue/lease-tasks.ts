import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryTask, WaitingWebhook } from "@product-search/core/ports/delivery-queue.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type Sqlite from "better-sqlite3";
import { openSigningKeys, type SigningKeys } from "./signing-keys.ts";
import { type TaskRow, toTask } from "./task-row.ts";

interface WaitingRow {
  key: number;
  accountId: string;
  failing: number;
}

/** How many deliveries of a disabled webhook are marked as failed in one batch. */
const voidBatchSize = 200;

/** Skips from webhook to webhook in the index of waiting deliveries, however many deliveries each has. */
const waitingSql = `
  with recursive waiting(webhook) as (
    select min(webhook_row_id) from deliveries where status = 'pending' and worker is null
    union all
    select (select min(webhook_row_id) from deliveries
            where status = 'pending' and worker is null and webhook_row_id > waiting.webhook)
    from waiting where waiting.webhook is not null)
  select w.row_id as key, w.account_id as accountId, w.failing_since is not null as failing
  from waiting join webhooks w on w.row_id = waiting.webhook
  where w.deleted_at is null and (w.void_through > 0 or exists (
    select 1 from deliveries
    where webhook_row_id = w.row_id and status = 'pending' and worker is null and due_at <= ?))
  order by w.row_id`;

const dueSql = `
  select d.row_id as key, d.attempts, d.failures, d.kind, e.id as eventId, e.body, e.traceparent, w.url
  from deliveries d join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
  where d.webhook_row_id = ? and d.status = 'pending' and d.worker is null and d.due_at <= ?
    and w.deleted_at is null and d.row_id > w.void_through
  order by d.due_at limit ?`;

export function createTaskLeases(settings: {
  connection: Sqlite.Database;
  clock: Clock;
  secretBox: SecretBox;
}) {
  const { connection, clock, secretBox } = settings;
  const waiting = connection.prepare<[number], WaitingRow>(waitingSql);
  const due = connection.prepare<[number, number, number], TaskRow>(dueSql);
  const take = connection.prepare<[string, number]>("update deliveries set worker = ? where row_id = ?");
  const voidDeliveries = prepareVoiding(connection);

  const signingKeysOf = prepareSigningKeys(connection, secretBox);

  return {
    waiting: (): WaitingWebhook[] =>
      waiting.all(clock.now()).map((row) => ({ ...row, failing: row.failing !== 0 })),

    take(webhook: WaitingWebhook, count: number, worker: string): DeliveryTask[] {
      const nowMs = clock.now();
      voidDeliveries(webhook.key);
      const rows = due.all(webhook.key, nowMs, count);
      if (rows.length === 0) return [];
      for (const row of rows) take.run(worker, row.key);
      const keys = signingKeysOf(webhook.key, nowMs);
      return rows.map((row) => toTask(row, webhook, keys));
    },
  };
}

function prepareSigningKeys(
  connection: Sqlite.Database,
  secretBox: SecretBox,
): (webhook: number, nowMs: number) => SigningKeys {
  const newest = connection.prepare<[number], { key: Uint8Array }>(
    "select key from webhooks where row_id = ?",
  );
  const former = connection.prepare<[number, number], { key: Uint8Array }>(
    "select key from webhook_former_keys where webhook_row_id = ? and until > ? order by row_id desc",
  );
  return (webhook, nowMs) => {
    const sealed = [...newest.all(webhook), ...former.all(webhook, nowMs)];
    return openSigningKeys(
      secretBox,
      sealed.map(({ key }) => key),
    );
  };
}

/** Voids the deliveries of a disabled webhook in batches, then clears the mark of its disabling. */
function prepareVoiding(connection: Sqlite.Database): (webhook: number) => void {
  const voidThrough = connection.prepare<[number], { rowId: number }>(
    "select void_through as rowId from webhooks where row_id = ? and void_through > 0",
  );
  const fail = connection.prepare<[number, number, number]>(
    `update deliveries set status = 'failed' where row_id in (
       select row_id from deliveries
       where webhook_row_id = ? and status = 'pending' and worker is null and row_id <= ? limit ?)`,
  );
  const taken = connection.prepare<[number, number]>(
    "select 1 from deliveries where worker is not null and webhook_row_id = ? and row_id <= ? limit 1",
  );
  const forget = connection.prepare<[number]>("update webhooks set void_through = 0 where row_id = ?");
  return (webhook) => {
    const last = voidThrough.get(webhook)?.rowId;
    if (last === undefined) return;
    const marked = fail.run(webhook, last, voidBatchSize).changes;
    if (marked < voidBatchSize && taken.get(webhook, last) === undefined) forget.run(webhook);
  };
}
