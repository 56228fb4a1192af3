import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const _request = { method: "POST", url: "/webhooks/wh_0/deliveries/dl_0/replay" } as const;
const replay = (webhookId: string, deliveryId: string) =>
  ({ method: "POST", url: `/webhooks/${webhookId}/deliveries/${deliveryId}/replay` }) as const;

async function deliverTest(webhookUrl: string) {
  const webhook = await service.createWebhook({ webhookUrl });
  const response = await service.call({ method: "POST", url: `/webhooks/${webhook.id}/test` });
  return { webhook, delivery: response.json().data };
}

describe("200", () => {
  it("sends the same bytes again with the same webhook-id, as a new delivery", async () => {
    const receiver = await startReceiver();
    const { webhook, delivery } = await deliverTest(receiver.url);
    await service.deliver();
    const response = await service.call(replay(webhook.id, delivery.id));
    expectDocumented("replayDelivery", 200, response);
    expect(response.json().data).toMatchObject({
      eventId: delivery.eventId,
      replayOf: delivery.id,
      attempts: [],
    });
    expect(response.json().data.id).not.toBe(delivery.id);
    await service.deliver();
    const [first, second] = receiver.received;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await receiver.close();
  });

  it("repeats a long event, of which no copy is kept", async () => {
    const headers = { "idempotency-key": "long" };
    const { id: webhookId, parentId: accountId } = await service.createWebhook();
    const long = JSON.stringify({ text: "x".repeat(5000) });
    const queued = await service.stores.webhookStore.queueTest({ accountId, webhookId }, long);
    const call = () => service.call({ ...replay(webhookId, queued?.id ?? ""), headers });
    const first = await call();
    expect(first.json().data.requestBody).toBe(long);
    expect((await call()).json()).toEqual(first.json());
  });
});

describe("400", () => {
  it("when the target is not allowed any more", async () => {
    const { webhook, delivery } = await deliverTest("https://turned.example/");
    service.names.set("turned.example", ["10.0.0.1"]);
    const response = await service.call(replay(webhook.id, delivery.id));
    expectDocumented("replayDelivery", 400, response);
    expect(response.json()).toMatchObject({ code: "webhook_target_forbidden" });
  });
});

describe("404", () => {
  it("for a delivery of another webhook, or a webhook of another account", async () => {
    const { webhook, delivery } = await deliverTest("https://partner.example/");
    const sibling = await service.createWebhook();
    for (const [webhookId, deliveryId, code] of [
      [webhook.id, "dl_0000000000000000", "delivery_not_found"],
      [webhook.id, "nonsense", "delivery_not_found"],
      [sibling.id, delivery.id, "delivery_not_found"],
      ["wh_0000000000000000", delivery.id, "webhook_not_found"],
    ] as const) {
      const response = await service.call(replay(webhookId, deliveryId));
      expectDocumented("replayDelivery", 404, response);
      expect(response.json()).toMatchObject({ success: false, code });
    }
    expectDocumented("replayDelivery", 404, await service.callAsOther(replay(webhook.id, delivery.id)));
  });
});

describe("409", () => {
  it("with an Idempotency-Key that was used for another request", async () => {
    const headers = { "idempotency-key": "the-same" };
    const [first, second] = [
      await deliverTest("https://partner.example/"),
      await deliverTest("https://partner.example/"),
    ];
    const call = ({ webhook, delivery }: typeof first) =>
      service.call({ ...replay(webhook.id, delivery.id), headers });
    const done = await call(first);
    expect((await call(first)).json()).toEqual(done.json());
    const response = await call(second);
    expectDocumented("replayDelivery", 409, response);
    expect(response.json()).toMatchObject({ code: "idempotency_mismatch" });
  });
});
