import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

let service: WebhookService;
beforeAll(async () => {
  service = await createWebhookService();
});
afterAll(() => service.close());

const request = { method: "DELETE", url: "/webhooks/wh_0000000000000000" } as const;

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

describe("400", () => {
  it("with a parameter that does not exist", async () => {
    const response = await service.call({ ...request, query: { verbose: "1" } });
    expectDocumented("deleteWebhook", 400, response);
    expect(response.json()).toMatchObject({
      message: "Validation error",
      error: expect.stringMatching(/^Webhook validation failed: verbose:/),
      code: "invalid_request",
    });
  });
});
