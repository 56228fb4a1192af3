import type { Clock } from "@product-search/core/ports/clock.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import {
  type DeliveryTask,
  maxFailures,
  type TaskRequest,
  type WaitingWebhook,
} from "@product-search/core/ports/webhooks.ts";
import { prepareDeadLetter } from "../database/new-dead-letter.ts";
import type * as Sqlite from "../database/sqlite.ts";

export interface InternalFailure {
  key: number;
  worker: string;
  dueAt: number;
  error: string;
}

interface FailedDelivery {
  id: string;
  failures: number;
  isVoided: number;
}

/**
 * Plans the next attempt after an internal error. After `maxFailures` of these, the delivery becomes a dead letter.
 * False if another worker has it now.
 */
export function prepareInternalFailure(
  connection: Sqlite.Database,
  clock: Clock,
): (internalFailure: InternalFailure) => boolean {
  const find = connection.prepare<[number, string], FailedDelivery>(
    `select d.id, d.failures + 1 as failures, w.deleted_at is not null or d.row_id <= w.void_through as isVoided
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id where d.row_id = ? and d.worker = ?`,
  );
  const recordResult = connection.prepare<[number, number, string, number]>(
    "update deliveries set worker = null, failures = ?, due_at = ?, status = ? where row_id = ?",
  );
  const addDeadLetter = prepareDeadLetter(connection);
  return ({ key, worker, dueAt, error }) => {
    const row = find.get(key, worker);
    if (row === undefined) return false;
    const { id, failures, isVoided } = row;
    const isDead = failures % maxFailures === 0;
    recordResult.run(failures, dueAt, isDead || isVoided !== 0 ? "failed" : "pending", key);
    if (isDead && isVoided === 0)
      addDeadLetter({ queue: "deliveries", item: id, error, failures, atMs: clock.now() });
    return true;
  };
}

/** The number of tasks of a webhook at another worker. There may be several of these for one webhook. */
export interface TakenElsewhere {
  webhook: number;
  accountId: string;
  tasks: number;
}

/** Reduces the wanted tasks to the limits, minus those of other workers. */
export function withinRoom(
  requested: readonly TaskRequest[],
  elsewhere: readonly TakenElsewhere[],
): Pick<TaskRequest, "webhook" | "count">[] {
  const ofWebhook = new Map<number, number>();
  const ofAccount = new Map<string, number>();
  const add = (accountId: string, tasks: number) =>
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + tasks);
  for (const { webhook, accountId, tasks } of elsewhere) {
    ofWebhook.set(webhook, (ofWebhook.get(webhook) ?? 0) + tasks);
    add(accountId, tasks);
  }
  return requested.flatMap(({ webhook, count: wantedCount, room }) => {
    const left = {
      webhook: room.webhook - (ofWebhook.get(webhook.key) ?? 0),
      account: room.account - (ofAccount.get(webhook.accountId) ?? 0),
    };
    const count = Math.min(wantedCount, left.webhook, left.account);
    if (count <= 0) return [];
    add(webhook.accountId, count);
    return [{ webhook, count }];
  });
}

export type SigningKeys = Pick<DeliveryTask, "signingKeys" | "fault">;

const unreadableKey =
  "Nothing was sent: the signing key of this webhook cannot be read. Rotate the key, or ask the operator.";

/**
 * The signing keys, newest first. A key that cannot be read affects only its webhook: the tasks of others are in the
 * same transaction. A former key that cannot be read is left out: it was rotated because of that, or expires soon.
 */
export function openSigningKeys(secretBox: SecretBox, sealed: readonly Uint8Array[]): SigningKeys {
  const [newest, ...former] = sealed;
  const key = newest && openKey(secretBox, newest);
  if (key === undefined) return { signingKeys: [], fault: unreadableKey };
  return { signingKeys: [key, ...former.flatMap((one) => openKey(secretBox, one) ?? [])] };
}

function openKey(secretBox: SecretBox, sealed: Uint8Array): string | undefined {
  try {
    return secretBox.open(sealed);
  } catch {
    return undefined;
  }
}

/** A leased delivery in the form that both databases return. */
export interface TaskRow {
  key: number;
  attempts: number;
  failures: number;
  kind: string;
  eventId: string;
  body: string;
  traceparent: string | null;
  url: string;
}

export function toTask(row: TaskRow, webhook: WaitingWebhook, keys: SigningKeys): DeliveryTask {
  return {
    key: row.key,
    webhook,
    url: row.url,
    eventId: row.eventId,
    body: row.body,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
    ...keys,
    test: row.kind === "test",
    attempt: row.attempts + 1,
    failures: row.failures,
  };
}
