import type { TaskRequest } from "@product-search/core/ports/delivery-queue.ts";

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
