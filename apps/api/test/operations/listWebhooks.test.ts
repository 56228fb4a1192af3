import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const request = { method: "GET", url: "/webhooks" } as const;

describe("200", () => {
  it("lists the account's webhooks, newest first, without their keys", async () => {
    const first = await service.createWebhook();
    service.clock.nowMs += 1000;
    const second = await service.createWebhook({ webhookType: "stock.alert", productIds: ["a", "b"] });
    const response = await service.call(request);
    expectDocumented("listWebhooks", 200, response);
    const listed = ({ apiKey: _, ...webhook }: typeof first) => ({
      ...webhook,
      disabledAt: null,
      disabledReason: null,
    });
    expect(response.json().data).toEqual([listed(second), listed(first)]);
    expect(response.body).not.toContain("whsec_");
  });

  it("shows nothing of other accounts", async () => {
    expect((await service.callAsOther(request)).json().data).toEqual([]);
  });
});
