import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented, expectSchema } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const _request = { method: "POST", url: "/webhooks/wh_0000000000000000/test" } as const;

describe("200", () => {
  it.each(["price.alert", "stock.alert"] as const)(
    "sends a sample %s, marked as a test",
    async (webhookType) => {
      const receiver = await startReceiver();
      const { id } = await service.createWebhook({ webhookUrl: `${receiver.url}/hook`, webhookType });
      const response = await service.call({ method: "POST", url: `/webhooks/${id}/test` });
      expectDocumented("testWebhook", 200, response);
      expect(response.json().data).toMatchObject({
        webhookType,
        test: true,
        status: "pending",
        attempts: [],
      });
      await service.deliver();
      expect(receiver.received).toHaveLength(1);
      const [{ path, headers, body } = { path: "", headers: {}, body: "" }] = receiver.received;
      expect(path).toBe("/hook");
      expect(headers["webhook-id"]).toBe(response.json().data.eventId);
      expectSchema(webhookType === "price.alert" ? "PriceAlertEvent" : "StockAlertEvent", JSON.parse(body));
      expect(JSON.parse(body)).toMatchObject({ type: webhookType, data: { test: true } });
      await receiver.close();
    },
  );

  it("is attempted once, and its failure never disables the webhook", async () => {
    const receiver = await startReceiver((response) => response.writeHead(410).end("gone"));
    const { id } = await service.createWebhook({ webhookUrl: receiver.url });
    await service.call({ method: "POST", url: `/webhooks/${id}/test` });
    await service.deliver();
    const [delivery] = (await service.call({ url: `/webhooks/${id}/deliveries` })).json().data;
    expect(delivery).toMatchObject({ test: true, status: "failed", attempts: [{ responseStatus: 410 }] });
    const { data } = (await service.call({ url: "/webhooks" })).json();
    expect(data.find((webhook: { id: string }) => webhook.id === id)).toMatchObject({ disabledAt: null });
    await receiver.close();
  });
});

describe("400", () => {
  it("when the target is not allowed any more", async () => {
    const { id } = await service.createWebhook({ webhookUrl: "https://turned.example/" });
    service.names.set("turned.example", ["10.0.0.1"]);
    const response = await service.call({ method: "POST", url: `/webhooks/${id}/test` });
    expectDocumented("testWebhook", 400, response);
    expect(response.json()).toMatchObject({ code: "webhook_target_forbidden" });
  });
});

describe("409", () => {
  it("with an Idempotency-Key that was used for another request", async () => {
    const headers = { "idempotency-key": "the-same" };
    const [first, second] = [await service.createWebhook(), await service.createWebhook()];
    const call = (id: string) => service.call({ method: "POST", url: `/webhooks/${id}/test`, headers });
    const done = await call(first.id);
    expectDocumented("testWebhook", 200, done);
    expect((await call(first.id)).json()).toEqual(done.json());
    const response = await call(second.id);
    expectDocumented("testWebhook", 409, response);
    expect(response.json()).toMatchObject({ code: "idempotency_mismatch" });
  });
});
