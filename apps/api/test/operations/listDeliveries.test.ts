import { productInput } from "@product-search/testing/fake-products.ts";
import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const list = (id: string, query: Record<string, string> = {}) =>
  service.call({ method: "GET", url: `/webhooks/${id}/deliveries`, query });

describe("200", () => {
  it("shows every attempt with its response, without secrets", async () => {
    let status = 500;
    const receiver = await startReceiver((response) =>
      response.writeHead(status).end(`no: ${webhook.apiKey}, password=abc`),
    );
    const webhook = await service.createWebhook({ webhookUrl: receiver.url, webhookType: "stock.alert" });
    await service.stores.catalogStore.apply([productInput("mug", { availability: "in_stock" })]);
    await service.stores.catalogStore.apply([productInput("mug", { availability: "out_of_stock" })]);
    await service.deliver();
    status = 200;
    service.clock.nowMs += 6000;
    await service.deliver();
    const response = await list(webhook.id);
    expectDocumented("listDeliveries", 200, response);
    expect(response.json()).not.toHaveProperty("nextCursor");
    expect(response.json().data).toMatchObject([
      {
        webhookType: "stock.alert",
        test: false,
        status: "succeeded",
        nextAttemptAt: null,
        replayOf: null,
        requestBody: receiver.received[0]?.body,
        attempts: [
          {
            attemptedAt: "2026-11-20T12:00:00.000Z",
            responseStatus: 500,
            responseBody: "no: [removed], [removed]",
            error: /500/,
          },
          { attemptedAt: "2026-11-20T12:00:06.000Z", responseStatus: 200, error: null },
        ].map(({ error, ...attempt }) => ({ ...attempt, error: error && expect.stringMatching(error) })),
      },
    ]);
    await receiver.close();
  });

  it("uses an opaque cursor for pages", async () => {
    const { id } = await service.createWebhook();
    const queued: string[] = [];
    for (let count = 0; count < 5; count++) {
      queued.unshift((await service.call({ method: "POST", url: `/webhooks/${id}/test` })).json().data.id);
    }
    const listed: string[] = [];
    for (let query: Record<string, string> | undefined = { limit: "2" }; query; ) {
      const response = await list(id, query);
      expectDocumented("listDeliveries", 200, response);
      const { data, nextCursor } = response.json();
      listed.push(...data.map((delivery: { id: string }) => delivery.id));
      query = nextCursor && { limit: "2", cursor: nextCursor };
    }
    expect(listed).toEqual(queued);
  });
});

describe("400", () => {
  it.each([
    ["limit", { limit: "0" }],
    ["limit", { limit: "201" }],
    ["limit", { limit: "many" }],
    ["cursor", { cursor: "" }],
    ["cursor", { cursor: "nonsense" }],
    ["cursor", { cursor: "a".repeat(513) }],
  ])("names %s in %j", async (name, query) => {
    const { id } = await service.createWebhook();
    const response = await list(id, Object.fromEntries(Object.entries(query)));
    expectDocumented("listDeliveries", 400, response);
    expect(response.json()).toMatchObject({
      message: "Validation error",
      error: expect.stringContaining(`${name}:`),
      code: "invalid_request",
    });
  });
});
