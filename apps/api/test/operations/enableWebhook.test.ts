import { productInput } from "@product-search/testing/fake-products.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

describe("200", () => {
  it("changes nothing if the webhook was not disabled", async () => {
    const { id } = await service.createWebhook();
    const response = await service.call({ method: "POST", url: `/webhooks/${id}/enable` });
    expectDocumented("enableWebhook", 200, response);
    expect(response.json().data).toMatchObject({ id, disabledAt: null, disabledReason: null });
  });

  it("enables deliveries again after a 410", async () => {
    const receiver = await startReceiver((response) => response.writeHead(410).end());
    const { id } = await service.createWebhook({ webhookUrl: receiver.url });
    const change = async (priceMinor: number) => {
      await service.stores.catalogStore.apply([productInput("mug", { priceMinor })]);
      await service.deliver();
    };
    for (const priceMinor of [1000, 900, 800]) await change(priceMinor);
    expect(receiver.received).toHaveLength(1);
    const [disabled] = (await service.call({ url: "/webhooks" })).json().data;
    expect(disabled).toMatchObject({ id, disabledAt: "2026-11-20T12:00:00.000Z", disabledReason: "gone" });

    const response = await service.call({ method: "POST", url: `/webhooks/${id}/enable` });
    expectDocumented("enableWebhook", 200, response);
    expect(response.json().data).toMatchObject({ id, disabledAt: null });
    await change(700);
    expect(receiver.received).toHaveLength(2);
    await receiver.close();
  });
});
