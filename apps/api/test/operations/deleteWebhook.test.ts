import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectDocumented } from "../../testing/spec-check.ts";
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

describe("404", () => {
  it.each(["wh_0000000000000000", "nonsense", "%20", "a".repeat(500)])("for %s", async (id) => {
    const response = await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    expectDocumented("deleteWebhook", 404, response);
    expect(response.json()).toMatchObject({ success: false, code: "webhook_not_found" });
  });

  it("for another account's webhook", async () => {
    const { id } = await service.createWebhook();
    expectDocumented(
      "deleteWebhook",
      404,
      await service.callAsOther({ method: "DELETE", url: `/webhooks/${id}` }),
    );
  });

  it("for one that was deleted", async () => {
    const { id } = await service.createWebhook();
    await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    expectDocumented("deleteWebhook", 404, await service.call({ method: "DELETE", url: `/webhooks/${id}` }));
  });
});
