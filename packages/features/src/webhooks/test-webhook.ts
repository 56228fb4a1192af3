import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { toWebhookEvent, type WebhookType } from "@product-search/core/domain/webhook-event.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { WebhookReference } from "@product-search/core/ports/webhooks.ts";
import type { WebhookDelivery, WebhookEvent } from "@product-search/types";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { assertTarget, type QueueDeps, toWebhookDelivery, webhookNotFound } from "./manage-webhooks.ts";

const dayMs = 86_400_000;

/** Queues a sample event of the webhook's type, marked as a test. */
export async function testWebhook(
  deps: QueueDeps & Presentation & { clock: Clock },
  reference: WebhookReference,
): Promise<WebhookDelivery> {
  const { webhookStore, webhookHttp, clock, transact } = deps;
  const webhook = await webhookStore.find(reference);
  if (webhook === undefined) throw webhookNotFound(reference.webhookId);
  await assertTarget(webhookHttp, webhook.url);
  const body = JSON.stringify(sampleEvent(webhook.type, clock.now(), deps));
  return transact(async (stores) => {
    const delivery = await stores.webhookStore.queueTest(reference, body);
    if (delivery === undefined) throw webhookNotFound(reference.webhookId);
    return toWebhookDelivery(delivery);
  });
}

/** An event with the form of a real one, about a product that does not exist. */
function sampleEvent(type: WebhookType, nowMs: number, presentation: Presentation): WebhookEvent {
  const previous = sampleProduct(nowMs - 30 * dayMs);
  const current: StoredProduct = { ...previous, ...sampleChange(type, nowMs) };
  const history = [
    { id: "000000000000000000000001", priceMinor: 1590, atMs: previous.priceSinceMs },
    ...(type === "price.alert" ? [{ id: "000000000000000000000002", priceMinor: 1290, atMs: nowMs }] : []),
  ];
  const event = toWebhookEvent(type, { previous, current }, history, nowMs, presentation);
  // Written out for each type: a spread over the union would lose the relation between type and data.
  switch (event.type) {
    case "price.alert":
      return { ...event, data: { ...event.data, test: true } };
    case "stock.alert":
      return { ...event, data: { ...event.data, test: true } };
    default:
      return event satisfies never;
  }
}

function sampleChange(type: WebhookType, nowMs: number): Partial<StoredProduct> {
  switch (type) {
    case "price.alert":
      return { priceMinor: 1290, discountVal: 18.9, priceSinceMs: nowMs };
    case "stock.alert":
      return { availability: "out_of_stock" };
    default:
      return type satisfies never;
  }
}

function sampleProduct(sinceMs: number): StoredProduct {
  return {
    rowId: 0,
    source: "catalog",
    key: "sample",
    id: "000000000000000000000000",
    slug: "sample-product-00000000",
    name: "Sample product",
    brand: "Sample brand",
    storeName: "Sample store",
    description: "A product that does not exist, for test deliveries.",
    url: "/products/sample-product-00000000",
    images: ["/images/sample-product-00000000.webp"],
    priceMinor: 1590,
    availability: "in_stock",
    averageRating: 4.5,
    reviewCount: 2,
    isVerified: true,
    isBoosted: false,
    discountVal: 0,
    serviceScore: 90,
    priceSinceMs: sinceMs,
    createdAtMs: sinceMs,
    updatedAtMs: sinceMs,
  };
}

/** Returns the event of a delivery, or throws an error that says why it cannot be trusted. */
export function verifyDelivery(
  body: string,
  headers: Readonly<Record<string, string>>,
  key: string,
): unknown {
  try {
    return new Webhook(key).verify(body, { ...headers });
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof WebhookVerificationError))
    return "The key is not valid: it must start with whsec_, followed by base64.";
  if (error.message === "Missing required headers") {
    return "webhook-id, webhook-timestamp and webhook-signature are not all present: this is not a delivery of the service.";
  }
  if (/too (old|new)/.test(error.message)) {
    return "It was signed more than five minutes ago or ahead: it is being replayed, or one of the two clocks is wrong.";
  }
  return "The signature does not fit these bytes: they were changed on the way (by a proxy, or a framework that parsed and wrote them anew), or the key is another webhook's.";
}
