import type Sqlite from "better-sqlite3";
import type { Clock } from "../../ports/clock.ts";
import type { DeliveryTask, WaitingWebhook } from "../../ports/delivery-queue.ts";
import type { SecretBox } from "../../ports/secret-box.ts";

interface WaitingRow {
  key: number;
  accountId: string;
  failing: number;
}

interface TaskRow {
  key: number;
  attempts: number;
  failures: number;
  kind: string;
  eventId: string;
  body: string;
  url: string;
  signingKey: Uint8Array;
  formerKey: Uint8Array | null;
  formerKeyUntil: number | null;
}

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

/** How many deliveries of a disabled webhook are marked as failed at a time. */
const voidedAtOnce = 200;

/** Hops from webhook to webhook through the index of waiting deliveries, however many each of them has. */
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
  select d.row_id as key, d.attempts, d.failures, d.kind, e.id as eventId, e.body, w.url,
    w.key as signingKey, w.former_key as formerKey, w.former_key_until as formerKeyUntil
  from deliveries d join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
  where d.webhook_row_id = ? and d.status = 'pending' and d.worker is null and d.due_at <= ?
    and w.deleted_at is null and d.row_id > w.void_through
  order by d.due_at limit ?`;

export function createTaking(settings: { connection: Sqlite.Database; clock: Clock; secretBox: SecretBox }) {
  const { connection, clock, secretBox } = settings;
  const waiting = connection.prepare<[number], WaitingRow>(waitingSql);
  const due = connection.prepare<[number, number, number], TaskRow>(dueSql);
  const take = connection.prepare<[string, number]>("update deliveries set worker = ? where row_id = ?");
  const giveUp = prepareGivingUp(connection);

  const toTask = (row: TaskRow, webhook: WaitingWebhook, nowMs: number): DeliveryTask => {
    const keys: [Uint8Array, ...Uint8Array[]] = [row.signingKey];
    if (row.formerKey !== null && (row.formerKeyUntil ?? 0) > nowMs) keys.push(row.formerKey);
    return {
      key: row.key,
      webhook,
      url: row.url,
      eventId: row.eventId,
      body: row.body,
      ...openKeys(secretBox, keys),
      test: row.kind === "test",
      attempt: row.attempts + 1,
      failures: row.failures,
    };
  };

  return {
    waiting: (): WaitingWebhook[] =>
      waiting.all(clock.now()).map((row) => ({ ...row, failing: row.failing !== 0 })),

    take(webhook: WaitingWebhook, count: number, worker: string): DeliveryTask[] {
      const nowMs = clock.now();
      giveUp(webhook.key);
      const rows = due.all(webhook.key, nowMs, count);
      for (const row of rows) take.run(worker, row.key);
      return rows.map((row) => toTask(row, webhook, nowMs));
    },
  };
}

/**
 * A key that cannot be read concerns its webhook alone: the others' tasks come from the same transaction. A former one
 * is left out then: it was rotated because it cannot be read, or is about to end.
 */
function openKeys(
  secretBox: SecretBox,
  [newest, ...former]: readonly [Uint8Array, ...Uint8Array[]],
): Pick<DeliveryTask, "signingKeys" | "fault"> {
  const key = openKey(secretBox, newest);
  if (key === undefined) return { signingKeys: [], fault: unreadableKey };
  return { signingKeys: [key, ...former.flatMap((sealed) => openKey(secretBox, sealed) ?? [])] };
}

function openKey(secretBox: SecretBox, sealed: Uint8Array): string | undefined {
  try {
    return secretBox.open(sealed);
  } catch {
    return undefined;
  }
}

/** Marks what a disabled webhook left behind, a bounded bit at each call, and then forgets that it was disabled. */
function prepareGivingUp(connection: Sqlite.Database): (webhook: number) => void {
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
    const marked = fail.run(webhook, last, voidedAtOnce).changes;
    if (marked < voidedAtOnce && taken.get(webhook, last) === undefined) forget.run(webhook);
  };
}
