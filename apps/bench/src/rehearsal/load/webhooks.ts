import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { Receiver } from "@product-search/testing/receiver.ts";
import { type Findings, fieldsOf, type Ledger, type PriceWrite, type WebhookWrite } from "../figures.ts";
import type { ClusterClient } from "./cluster-client.ts";

const webhookCount = 6;
const retryMs = 500;

/** Creates webhooks for all products, spread over the first half of the time; each until it is acknowledged. */
export async function createWebhooksUntil(
  client: ClusterClient,
  ledger: Ledger,
  receiver: Receiver,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<void> {
  for (let number = 1; number <= webhookCount && !signal.aborted; number += 1) {
    const webhook: WebhookWrite = { path: `/hooks/${number}` };
    ledger.webhooks.push(webhook);
    const body = JSON.stringify({ webhookUrl: `${receiver.url}${webhook.path}`, webhookType: "price.alert" });
    const headers = { "idempotency-key": `rehearsal-webhook-${number}` };
    while (webhook.acknowledgedMs === undefined && !signal.aborted) {
      const reply = await client.request("/api/v1/webhooks", { method: "POST", body, headers });
      if (reply?.status === 201) webhook.acknowledgedMs = Date.now();
      else await delay(retryMs, undefined, { signal }).catch(() => {});
    }
    await delay((seconds * 500) / webhookCount, undefined, { signal }).catch(() => {});
  }
}

export function eventsOf(receiver: Pick<Receiver, "received">, ledger: Ledger): ReceivedEvent[] {
  const keys = new Map([...ledger.products.keys()].map((key) => [productId("catalog", key), key]));
  return receiver.received.map(({ path, headers, body }) => {
    const data = fieldsOf(fieldsOf(JSON.parse(body)).data);
    const id = String(data.productId);
    return {
      path,
      eventId: String(headers["webhook-id"]),
      key: keys.get(id) ?? id,
      price: Number(fieldsOf(data.current).price),
    };
  });
}

/** A delivery as the receiver got it. */
export interface ReceivedEvent {
  /** Of the webhook. */
  path: string;
  eventId: string;
  key: string;
  price: number;
}

/**
 * Compares the received events with the writes: each acknowledged change of a price was sent to each webhook that
 * existed before it, and nothing was sent that is not in the history of the product. The same event may be received
 * more than once; a second event for the same change may not.
 */
export function verifyEvents(
  { products, webhooks }: Ledger,
  histories: ReadonlyMap<string, readonly number[]>,
  received: readonly ReceivedEvent[],
  { lost, invented, doubled }: Findings,
): void {
  const events = new Map<string, Set<string>>();
  for (const { path, eventId, key, price } of received) {
    const name = nameOf(path, key, price);
    // The first price of a product is not a change.
    const isChange = (histories.get(key) ?? []).indexOf(price) > 0;
    if (!isChange && !events.has(name)) invented.push(name);
    events.set(name, (events.get(name) ?? new Set()).add(eventId));
  }
  for (const [name, ids] of events) if (ids.size > 1) doubled.push(name);
  for (const { path, acknowledgedMs } of webhooks) {
    if (acknowledgedMs === undefined) continue;
    for (const [key, writes] of products) {
      for (const { price } of changesAfter(acknowledgedMs, writes)) {
        const name = nameOf(path, key, price);
        if (!events.has(name)) lost.push(name);
      }
    }
  }
}

function nameOf(path: string, key: string, price: number): string {
  return `event of product ${key} with the price ${price} to ${path}`;
}

/** Those that must have caused an event: the product existed before, as did the webhook. */
function changesAfter(timeMs: number, writes: readonly PriceWrite[]): PriceWrite[] {
  const created = writes.findIndex(({ acknowledgedMs }) => acknowledgedMs !== undefined);
  return writes.filter(
    ({ acknowledgedMs, startedMs }, at) => at > created && acknowledgedMs !== undefined && startedMs > timeMs,
  );
}
