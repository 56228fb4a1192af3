import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const valid = { webhookUrl: "https://partner.example/hook", webhookType: "price.alert" };
const create = (payload: object | string, headers: Record<string, string> = {}) =>
  service.call({
    method: "POST",
    url: "/webhooks",
    payload,
    headers: { "content-type": "application/json", ...headers },
  });
const request = { method: "POST", url: "/webhooks", payload: valid } as const;

describe("201", () => {
  it("responds with the webhook and its key", async () => {
    const response = await create({ ...valid, productIds: ["b", "a"] });
    expectDocumented("createWebhook", 201, response);
    expect(response.json()).toEqual({
      success: true,
      message: "Webhook created",
      data: {
        id: expect.stringMatching(/^wh_[A-Za-z0-9]{16}$/),
        ...valid,
        productIds: ["b", "a"],
        apiKey: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
        parentId: expect.any(String),
        createdAt: "2026-11-20T12:00:00.000Z",
      },
    });
  });

  it("gives each webhook a different key, and all of an account the same parent", async () => {
    const [first, second] = [await service.createWebhook(), await service.createWebhook()];
    expect(first.apiKey).not.toBe(second.apiKey);
    expect(first.parentId).toBe(second.parentId);
  });

  it("accepts a name that does not resolve yet", async () => {
    const response = await create({ ...valid, webhookUrl: "https://not-yet.invalid:8443/hook?x=1" });
    expectDocumented("createWebhook", 201, response);
  });

  it("checks a host in any script by its punycode form", async () => {
    const response = await create({ ...valid, webhookUrl: "https://münchen.example/straße?ß=1#ü" });
    expectDocumented("createWebhook", 201, response);
    expect(response.json().data.webhookUrl).toBe(
      "https://xn--mnchen-3ya.example/stra%C3%9Fe?%C3%9F=1#%C3%BC",
    );
    const plain = "https://xn--mnchen-3ya.example/";
    expect((await create({ ...valid, webhookUrl: plain })).json().data.webhookUrl).toBe(plain);
  });

  it("returns exactly the same response for the same Idempotency-Key", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await create(valid, headers);
    expect((await create(valid, headers)).json()).toEqual(first.json());
  });

  it("repeats a long response, of which the store keeps 2 kB", async () => {
    const headers = { "idempotency-key": "long" };
    const productIds = Array.from({ length: 1000 }, (_, at) => `product-${at}`);
    const first = await create({ ...valid, productIds }, headers);
    const again = await create({ ...valid, productIds }, headers);
    expectDocumented("createWebhook", 201, again);
    expect(again.json()).toEqual(first.json());
    const longest = service.stores.database.connection
      .prepare("select max(length(body)) from idempotency")
      .pluck();
    expect(longest.get()).toBeLessThanOrEqual(2048);
  });
});

describe("400", () => {
  it.each<[string, object | string, RegExp]>([
    ["nothing", "", /./],
    ["no URL", { webhookType: "price.alert" }, /webhookUrl:/],
    ["no type", { webhookUrl: valid.webhookUrl }, /webhookType:/],
    ["another type", { ...valid, webhookType: "name.alert" }, /webhookType:.*stock\.alert.*price\.alert/],
    [
      "a URL of no meaning in any script",
      { ...valid, webhookUrl: "https://mün chen.example/" },
      /webhookUrl:/,
    ],
    ["a relative URL", { ...valid, webhookUrl: "/hook" }, /webhookUrl:/],
    ["a number for a URL", { ...valid, webhookUrl: 5 }, /webhookUrl:/],
    ["an endless URL", { ...valid, webhookUrl: `https://a.example/${"a".repeat(2048)}` }, /webhookUrl:/],
    ["an unknown field", { ...valid, secret: "mine" }, /secret:/],
    ["no product at all", { ...valid, productIds: [] }, /productIds:/],
    [
      "1001 products",
      { ...valid, productIds: Array.from({ length: 1001 }, (_, n) => `${n}`) },
      /productIds:/,
    ],
    ["a product twice", { ...valid, productIds: ["a", "a"] }, /productIds:/],
    ["broken JSON", "{", /./],
  ])("with %s", async (_, payload, message) => {
    const response = await create(payload);
    expectDocumented("createWebhook", 400, response);
    expect(response.json()).toMatchObject({
      success: false,
      message: "Validation error",
      error: expect.stringMatching(/^Webhook validation failed: /),
      code: "invalid_request",
    });
    expect(response.json().error).toMatch(message);
  });

  it("for a target that is not allowed", async () => {
    const response = await create({ ...valid, webhookUrl: "https://10.0.0.1/" });
    expectDocumented("createWebhook", 400, response);
    expect(response.json()).toMatchObject({
      message: "Validation error",
      error: expect.stringMatching(/^Webhook validation failed: webhookUrl: /),
      code: "webhook_target_forbidden",
    });
  });
});

describe("409", () => {
  it("for the 101st webhook of an account", async () => {
    const full = await createWebhookService();
    for (let count = 0; count < 100; count++) await full.createWebhook();
    const response = await full.call(request);
    expectDocumented("createWebhook", 409, response);
    expect(response.json()).toMatchObject({
      message: "Failed to create webhook",
      code: "webhook_limit_reached",
    });
    expect((await full.callAsOther(request)).statusCode).toBe(201);
    await full.close();
  });

  it("for the repetition of a long response, when the webhook was deleted", async () => {
    const headers = { "idempotency-key": "gone" };
    const body = { ...valid, productIds: Array.from({ length: 1000 }, (_, at) => `product-${at}`) };
    const { id } = (await create(body, headers)).json().data;
    await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    const response = await create(body, headers);
    expectDocumented("createWebhook", 409, response);
    expect(response.json()).toMatchObject({ code: "idempotency_mismatch", error: /was deleted since/ });
  });
});
