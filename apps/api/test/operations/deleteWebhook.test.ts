import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

describe("200", () => {
  it("deletes the registration", async () => {
    const { id } = await service.createWebhook();
    const response = await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    expectDocumented("deleteWebhook", 200, response);
    expect(response.json()).toEqual({ success: true, message: "Webhook deleted" });
    const { data } = (await service.call({ url: "/webhooks" })).json();
    expect(data.map((webhook: { id: string }) => webhook.id)).not.toContain(id);
  });
});
