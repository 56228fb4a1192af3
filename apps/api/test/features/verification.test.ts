import { verifyWebhook } from "@product-search/client";
import { type Received, type Receiver, startReceiver } from "@product-search/testing/receiver.ts";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

// The code that docs/webhooks.md shows to partners, run on the bytes that the service really sends.

let service: WebhookService;
let receiver: Receiver;
let key: string;
let delivery: Received;
beforeAll(async () => {
  service = await createWebhookService();
  service.clock.nowMs = Date.now();
  receiver = await startReceiver();
  const webhook = await service.createWebhook({ webhookUrl: receiver.url });
  key = webhook.apiKey;
  await service.call({ method: "POST", url: `/webhooks/${webhook.id}/test` });
  await service.deliver();
  const [first] = receiver.received;
  if (first === undefined) throw new Error("Nothing was delivered.");
  delivery = first;
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

const changed: [string, (body: string) => string][] = [
  ["pretty-printed", (body) => JSON.stringify(JSON.parse(body), undefined, 2)],
  [
    "serialised again in another order",
    (body) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse())),
  ],
  ["tampered with", (body) => body.replace(/"price":[\d.]+/, '"price":0.01')],
];

describe("standardwebhooks", () => {
  const headers = () =>
    Object.fromEntries(Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]));

  it("accepts the bytes as received", () => {
    expect(new Webhook(key).verify(delivery.body, headers())).toMatchObject({ data: { test: true } });
  });

  it.each(changed)("refuses a body that was %s", (_, change) => {
    expect(change(delivery.body)).not.toBe(delivery.body);
    expect(() => new Webhook(key).verify(change(delivery.body), headers())).toThrow("No matching signature");
  });
});

describe("verifyWebhook of our client", () => {
  it("accepts the bytes as received", async () => {
    const event = await verifyWebhook(delivery.body, delivery.headers, key);
    expect(event).toMatchObject({
      type: "price.alert",
      data: { test: true, product: { name: "Sample product" } },
    });
  });

  it.each(changed)("refuses a body that was %s, and says why", async (_, change) => {
    await expect(verifyWebhook(change(delivery.body), delivery.headers, key)).rejects.toThrow(
      /the body was changed/,
    );
  });
});
