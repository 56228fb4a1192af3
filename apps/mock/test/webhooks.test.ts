import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Product, Webhook, WebhookDelivery, WebhookWithKey } from "@product-search/types";
import { Webhook as Verifier } from "standardwebhooks";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

const call = createCall(await startMock({ speed: 1_000_000 }));

type Data<Content> = { success: boolean; message: string; data: Content };

/** An account that no other test uses, and a webhook of it. */
async function createWebhook(webhookUrl: string, more: object = {}, headers: Record<string, string> = {}) {
  const token = String(more && "token" in more ? more.token : crypto.randomUUID());
  const { token: _, ...rest } = { token, ...more };
  const body = { webhookUrl, webhookType: "price.alert", ...rest };
  const created = await call<Data<WebhookWithKey>>("/webhooks", { token, body, headers });
  return { ...created, token, webhook: created.body.data };
}
async function anyProduct(): Promise<Product> {
  const { body } = await call<{ Products: Product[] }>("/search/trial?q=lamp");
  const [product] = body.Products;
  if (product === undefined) throw new Error("The catalog has no lamp.");
  return product;
}
const deliveriesOf = async (id: string, token: string) =>
  (await call<Data<WebhookDelivery[]>>(`/webhooks/${id}/deliveries`, { token })).body.data;

describe("a webhook that is created", () => {
  it("is as it was sent, is listed without its key, and is gone when deleted", async () => {
    const more = { webhookType: "stock.alert", productIds: ["a", "b"] };
    const { status, webhook, token } = await createWebhook("https://partner.example/hook", more);
    expect(status).toBe(201);
    expect(webhook).toMatchObject({ webhookUrl: "https://partner.example/hook", ...more });
    expect(webhook.apiKey).toMatch(/^whsec_/);
    const { body } = await call<Data<Webhook[]>>("/webhooks", { token });
    expect(body.data).toMatchObject([{ id: webhook.id, productIds: ["a", "b"] }]);
    expect(body.data[0]).not.toHaveProperty("apiKey");
    const gone = { token, method: "DELETE" };
    expect((await call(`/webhooks/${webhook.id}`, gone)).status).toBe(200);
    expect(await call(`/webhooks/${webhook.id}`, gone)).toMatchObject({
      status: 404,
      body: { code: "webhook_not_found" },
    });
    expect((await call<Data<Webhook[]>>("/webhooks", { token })).body.data).toEqual([]);
  });

  it("belongs to its token's account", async () => {
    const { webhook } = await createWebhook("https://partner.example/hook");
    expect((await call(`/webhooks/${webhook.id}`, { method: "DELETE", token: "other" })).status).toBe(404);
  });

  it("is created once for an Idempotency-Key", async () => {
    const token = crypto.randomUUID();
    const headers = { "idempotency-key": "k" };
    const first = await createWebhook("https://partner.example/hook", { token }, headers);
    const again = await createWebhook("https://partner.example/hook", { token }, headers);
    expect(again.body).toEqual(first.body);
    const other = await createWebhook("https://partner.example/other", { token }, headers);
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_mismatch" } });
    expect((await call<Data<Webhook[]>>("/webhooks", { token })).body.data).toHaveLength(1);
  });
});

describe("a change of a product", () => {
  it("shows in searches and comes to the webhook, signed", async () => {
    const product = await anyProduct();
    const { webhookUrl, take } = await startReceiver();
    const { webhook } = await createWebhook(webhookUrl, { productIds: [product._id] });
    const price = Math.round(product.price * 50) / 100;
    const changed = await call("/__mock/changes", { body: { productId: product._id, price } });
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { previous: { price: product.price }, current: { price } } },
    });
    const [event] = await take(1);
    expect(new Verifier(webhook.apiKey).verify(event?.content ?? "", event?.headers ?? {})).toMatchObject({
      type: "price.alert",
      data: { productId: product._id, previous: { price: product.price }, current: { price } },
    });
    const found = await call<{ Products: Product[] }>(
      `/search/catalog?q=lamp&priceRange=[${price},${price}]`,
    );
    expect(found.body.Products.map(({ _id }) => _id)).toContain(product._id);
    const history = await call<{ product: Product }>(`/products/${product._id}`);
    expect(history.body.product.priceHistory.at(-1)).toMatchObject({ price });
  });

  it.each([
    ["an unknown product", { productId: "none", price: 1 }, 404, /^productId: no product/],
    ["no product", { price: 1 }, 400, /^productId: is missing/],
    ["neither price nor availability", { productId: "x" }, 400, /^price: is missing/],
    ["a price that is none", { productId: "x", price: "9" }, 400, /^price: is not a number/],
    ["an unknown word", { productId: "x", availability: "gone" }, 400, /^availability: is not one of/],
    ["an unknown field", { productId: "x", price: 1, colour: "red" }, 400, /^colour: is not a known field/],
  ] as const)("with %s is refused", async (_name, body, status, message) => {
    expect(await call("/__mock/changes", { body })).toMatchObject({
      status,
      body: { message: expect.stringMatching(message) },
    });
  });
});

describe("deliveries", () => {
  it("are tried again, each attempt is listed, and they can be replayed", async () => {
    const { webhookUrl, take } = await startReceiver(500, 200);
    const product = await anyProduct();
    const { webhook, token } = await createWebhook(webhookUrl, { productIds: [product._id] });
    await call("/__mock/changes", { body: { productId: product._id, price: product.price + 1 } });
    const [first, second] = await take(2);
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    await vi.waitFor(async () => {
      const [delivery] = await deliveriesOf(webhook.id, token);
      expect(delivery).toMatchObject({
        status: "succeeded",
        attempts: [{ responseStatus: 500 }, { responseStatus: 200 }],
      });
    }, 60_000);
    const [delivery] = await deliveriesOf(webhook.id, token);
    const replay = `/webhooks/${webhook.id}/deliveries/${delivery?.id}/replay`;
    expect(await call(replay, { method: "POST", token })).toMatchObject({
      body: { data: { replayOf: delivery?.id, eventId: delivery?.eventId } },
    });
    expect((await take(3))[2]?.content).toBe(first?.content);
  });
});

it("fails attempts on demand before they reach the target", async () => {
  const failing = createCall(await startMock({ speed: 1_000_000, failDeliveries: 2 }));
  const { webhookUrl, take } = await startReceiver();
  const { body } = await failing<{ Products: Product[] }>("/search/trial?q=lamp");
  const [product] = body.Products;
  const created = await failing<Data<WebhookWithKey>>("/webhooks", {
    body: { webhookUrl, webhookType: "price.alert" },
  });
  await failing("/__mock/changes", { body: { productId: product?._id, price: 1 } });
  await take(1);
  await vi.waitFor(async () => {
    const listed = await failing<Data<WebhookDelivery[]>>(`/webhooks/${created.body.data.id}/deliveries`);
    expect(listed.body.data[0]?.attempts.map(({ responseStatus }) => responseStatus)).toEqual([
      503, 503, 200,
    ]);
  }, 60_000);
});

interface ReceivedEvent {
  headers: Record<string, string>;
  content: string;
}

/** A target of webhooks on loopback. It responds with the statuses in turn, with the last one from then on. */
async function startReceiver(...statuses: number[]) {
  const received: ReceivedEvent[] = [];
  const server = createServer(async (request, response) => {
    const content = await text(request);
    const status = statuses[Math.min(received.length, statuses.length - 1)] ?? 200;
    const headers = Object.entries(request.headers).map(([name, value]) => [name, `${value}`]);
    received.push({ headers: Object.fromEntries(headers), content });
    response.writeHead(status).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    webhookUrl: `http://127.0.0.1:${port}/hook`,
    received,
    /** The events so far, once there are as many. */
    async take(count: number): Promise<ReceivedEvent[]> {
      await vi.waitFor(() => {
        if (received.length < count) throw new Error(`${received.length} of ${count} events have come.`);
      }, 60_000);
      return received;
    },
  };
}
