import { ApiError } from "@product-search/core/errors.ts";
import { isShort } from "@product-search/core/ports/idempotency-store.ts";
import type { WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { toRegistration } from "./manage-webhooks.ts";

interface Envelope {
  data?: object;
}

/** What a response may have much of, and a repetition reads again: it never changes. */
const readAgain = ["webhookUrl", "productIds", "requestBody"];

/** What is kept of a response for repetitions. */
export function keptResponse(response: Envelope): Envelope {
  if (isShort(JSON.stringify(response)) || response.data === undefined) return response;
  const data = Object.entries(response.data).filter(([name]) => !readAgain.includes(name));
  return { ...response, data: Object.fromEntries(data) };
}

/** The response of which this was kept. */
export async function repeatedResponse(
  webhookStore: Pick<WebhookStore, "find" | "findDelivery">,
  accountId: string,
  /** Of the path, if it has one. */
  webhookId: string | undefined,
  kept: string,
): Promise<string> {
  const response: Envelope = JSON.parse(kept);
  const { data } = response;
  const { id, apiKey, eventId, webhookUrl, requestBody }: Readonly<Record<string, unknown>> = { ...data };
  if (apiKey !== undefined && webhookUrl === undefined) {
    const webhook = await webhookStore.find({ accountId, webhookId: String(id) });
    if (webhook === undefined) throw deleted("webhook");
    return JSON.stringify({ ...response, data: { ...toRegistration(webhook), ...data } });
  }
  if (eventId !== undefined && requestBody === undefined) {
    const delivery = await webhookStore.findDelivery({ accountId, webhookId: webhookId ?? "" }, String(id));
    if (delivery === undefined) throw deleted("delivery");
    return JSON.stringify({ ...response, data: { ...data, requestBody: delivery.body } });
  }
  return kept;
}

function deleted(what: string): ApiError {
  return new ApiError(
    "idempotency_mismatch",
    `Idempotency-Key: the ${what} of the first request with this key was deleted since. Use a new key.`,
  );
}
