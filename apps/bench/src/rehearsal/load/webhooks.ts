import { setTimeout as delay } from "node:timers/promises";
import { productId } from "@product-search/core/domain/identity.ts";
import type { Receiver } from "@product-search/testing/receiver.ts";
import { fieldsOf, type Ledger, type WebhookWrite } from "../figures.ts";
import type { ReceivedEvent } from "../verify-events.ts";
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
