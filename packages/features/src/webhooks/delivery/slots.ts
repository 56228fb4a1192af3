import type { TaskRequest, WaitingWebhook } from "@product-search/core/ports/delivery-queue.ts";

export interface SlotLimits {
  /** Maximum number of concurrent attempts of one worker. The other limits apply to all workers of a database together. */
  total: number;
  /** Maximum for one account, so that its hanging targets never block all others. */
  perAccount: number;
  /**
   * Maximum for one webhook. It starts with `firstPerWebhook`. Every success allows one more, and after a failure only one
   * is allowed until the next success.
   */
  perWebhook: number;
  firstPerWebhook: number;
}

export interface Slots {
  /** Distributes free slots equally, starting after the webhook that was served last. */
  share(waiting: readonly WaitingWebhook[], atMost: number): TaskRequest[];
  occupy(webhook: WaitingWebhook): void;
  free(webhook: WaitingWebhook, isSuccess: boolean): void;
  occupied(): number;
}

/** How many attempts each webhook may have in flight. Knows only this worker's; the queue subtracts those of the others. */
export function createSlots({ total, perAccount, perWebhook, firstPerWebhook }: SlotLimits): Slots {
  const ofAccount = new Map<string, number>();
  const ofWebhook = new Map<number, number>();
  const earned = new Map<number, number>();
  let occupied = 0;
  let lastServed = 0;

  return {
    share(waiting, atMost) {
      let free = Math.min(atMost, total - occupied);
      const each = Math.max(1, Math.floor(free / Math.max(1, waiting.length)));
      const promised = new Map<string, number>();
      const shares: TaskRequest[] = [];
      for (const webhook of startingAfter(lastServed, waiting)) {
        if (free === 0) break;
        const { accountId } = webhook;
        const limit = webhook.failing ? 1 : (earned.get(webhook.key) ?? firstPerWebhook);
        const room = {
          webhook: limit - (ofWebhook.get(webhook.key) ?? 0),
          account: perAccount - (ofAccount.get(accountId) ?? 0),
        };
        const count = Math.min(each, free, room.webhook, room.account - (promised.get(accountId) ?? 0));
        if (count <= 0) continue;
        shares.push({ webhook, count, room });
        promised.set(accountId, (promised.get(accountId) ?? 0) + count);
        free -= count;
        lastServed = webhook.key;
      }
      return shares;
    },
    occupy({ key, accountId }) {
      occupied += 1;
      add(ofAccount, accountId, 1);
      add(ofWebhook, key, 1);
    },
    free({ key, accountId }, isSuccess) {
      if (isSuccess) earned.set(key, Math.min(perWebhook, (earned.get(key) ?? firstPerWebhook) + 1));
      else earned.delete(key);
      occupied -= 1;
      add(ofAccount, accountId, -1);
      add(ofWebhook, key, -1);
    },
    occupied: () => occupied,
  };
}

function startingAfter(key: number, waiting: readonly WaitingWebhook[]): readonly WaitingWebhook[] {
  const start = waiting.findIndex((webhook) => webhook.key > key);
  return start <= 0 ? waiting : [...waiting.slice(start), ...waiting.slice(0, start)];
}

function add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
