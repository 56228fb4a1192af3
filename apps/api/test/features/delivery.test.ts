import { setTimeout } from "node:timers/promises";
import { productInput } from "@product-search/testing/fake-products.ts";
import { type Receiver, type Respond, startReceiver } from "@product-search/testing/receiver.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

let service: WebhookService;
let receivers: Receiver[];
beforeEach(async () => {
  service = await createWebhookService();
  receivers = [];
  await change(1000);
});
afterEach(async () => {
  await service.close();
  for (const receiver of receivers) await receiver.close();
});

/** Changes the price of the only product, which creates one event. */
const change = (priceMinor: number) =>
  service.stores.catalogStore.apply([productInput("mug", { priceMinor })]);

async function receive(response?: Respond) {
  const receiver = await startReceiver(response);
  receivers.push(receiver);
  const webhook = await service.createWebhook({ webhookUrl: `${receiver.url}/hook` });
  const deliveries = async () =>
    (await service.call({ url: `/webhooks/${webhook.id}/deliveries` })).json().data;
  return { receiver, webhook, deliveries };
}
const lastAttempt = async ({ deliveries }: Awaited<ReturnType<typeof receive>>) => {
  const [delivery] = await deliveries();
  return { status: delivery.status, ...delivery.attempts.at(-1) };
};

describe("a success", () => {
  it.each([200, 201, 202, 204, 299])("is %i, with any body", async (status) => {
    const target = await receive((response) => {
      response.writeHead(status).end(status === 204 ? undefined : "\u0000garbage <html>");
    });
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({
      status: "succeeded",
      responseStatus: status,
      error: null,
    });
    expect(target.receiver.received).toHaveLength(1);
  });

  it("does not wait for an endless body", async () => {
    const target = await receive((response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write("x".repeat(1000)), 1);
      response.once("close", () => clearInterval(timer));
    });
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({
      status: "succeeded",
      responseStatus: 200,
      responseBody: "x".repeat(1024),
    });
  });
});

describe("a failure", () => {
  it.each([301, 302, 307, 308, 400, 404, 429, 500, 503])("is %i, and is tried again", async (status) => {
    const target = await receive((response) => response.writeHead(status, { location: "/elsewhere" }).end());
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({ status: "pending", responseStatus: status });
    expect(target.receiver.received.map(({ path }) => path)).toEqual(["/hook"]);
  });

  it("is a redirect to a private address, which is not followed", async () => {
    const target = await receive((response) =>
      response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
    );
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({
      status: "pending",
      responseStatus: 302,
      error: /redirects/,
    });
  });

  it("is a target that became forbidden, which gets no request", async () => {
    const target = await receive((response) => response.end());
    service.stores.database.connection.prepare("update webhooks set url = ?").run("https://10.0.0.1/");
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({
      status: "pending",
      error: expect.stringMatching(/not allowed|public IP/),
    });
    expect(target.receiver.received).toEqual([]);
  });

  it.each<[string, Respond]>([
    ["a reset", (response) => response.socket?.resetAndDestroy()],
    ["an end without a response", (response) => response.socket?.end()],
    [
      "10 000 header fields",
      (response) => {
        const fields = Array.from({ length: 10_000 }, (_, n) => `x-${n}: ${n}\r\n`).join("");
        response.socket?.end(`HTTP/1.1 200 OK\r\n${fields}\r\n`);
      },
    ],
    ["what is not HTTP", (response) => response.socket?.end("hello")],
  ])("is %s", async (_, response) => {
    const target = await receive(response);
    await change(900);
    await service.deliver();
    expect(await lastAttempt(target)).toMatchObject({
      status: "pending",
      responseStatus: null,
      error: expect.any(String),
    });
  });

  it("has the same bytes and webhook-id on each of ten attempts, then stops", async () => {
    const target = await receive((response) => response.writeHead(500).end());
    await change(900);
    const times: string[] = [];
    for (let attempt = 0; attempt < 12; attempt++) {
      const before = target.receiver.received.length;
      await service.deliver();
      if (target.receiver.received.length > before)
        times.push(String(Math.floor(service.clock.nowMs / 1000)));
      // The catalog changes later; the signed body does not.
      if (attempt === 3)
        await service.stores.catalogStore.apply([productInput("mug", { priceMinor: 900, name: "New" })]);
      const [{ nextAttemptAt }] = await target.deliveries();
      service.clock.nowMs = Math.max(service.clock.nowMs, Date.parse(nextAttemptAt ?? 0));
    }
    const { received } = target.receiver;
    expect(received).toHaveLength(10);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(received.map(({ headers }) => headers["webhook-timestamp"])).toEqual(times);
    expect(await lastAttempt(target)).toMatchObject({ status: "failed" });
  });

  it("respects Retry-After", async () => {
    const target = await receive((response) => response.writeHead(429, { "retry-after": "3600" }).end());
    await change(900);
    await service.deliver();
    const [delivery] = await target.deliveries();
    expect(delivery.nextAttemptAt).toBe("2026-11-20T13:00:00.000Z");
  });

  it("for five days disables the webhook", async () => {
    const target = await receive((response) => response.writeHead(500).end());
    for (let day = 0; day <= 5; day++) {
      await change(100 + day);
      await service.deliver();
      service.clock.nowMs += 24 * 3_600_000;
    }
    const [webhook] = (await service.call({ url: "/webhooks" })).json().data;
    expect(webhook).toMatchObject({ disabledAt: "2026-11-25T12:00:00.000Z", disabledReason: "failing" });
    const attempts = target.receiver.received.length;
    await change(1);
    await service.deliver();
    expect(target.receiver.received).toHaveLength(attempts);
    expect((await target.deliveries()).map(({ status }: { status: string }) => status)).not.toContain(
      "pending",
    );
  });
});

describe("ends at once", () => {
  it("when the webhook is deleted during retries", async () => {
    const target = await receive((response) => response.writeHead(500).end());
    await change(900);
    await service.deliver();
    await service.call({ method: "DELETE", url: `/webhooks/${target.webhook.id}` });
    service.clock.nowMs += 3_600_000;
    await service.deliver();
    expect(target.receiver.received).toHaveLength(1);
  });

  it("when the webhook is deleted while an attempt is in progress", async () => {
    const arrived = Promise.withResolvers<void>();
    const target = await receive(async (response) => {
      arrived.resolve();
      await setTimeout(200);
      response.writeHead(500).end();
    });
    await change(900);
    const delivering = service.deliver();
    await arrived.promise;
    await service.call({ method: "DELETE", url: `/webhooks/${target.webhook.id}` });
    await delivering;
    service.clock.nowMs += 3_600_000;
    await service.deliver();
    expect(target.receiver.received).toHaveLength(1);
  });
});

describe("a slow target", () => {
  it("that responds 200 after the timeout has failed", async () => {
    const target = await receive(async (response) => {
      await setTimeout(600);
      response.writeHead(200).end();
    });
    await change(900);
    await service.deliver({ attemptTimeoutMs: 300 });
    expect(await lastAttempt(target)).toMatchObject({
      status: "pending",
      responseStatus: null,
      error: /300 ms/,
    });
  });

  it("does not delay others, even of the same account", async () => {
    const hanging = await receive(() => {});
    const others = await Promise.all(Array.from({ length: 20 }, () => receive()));
    for (let price = 1; price <= 10; price++) await change(price);
    const delivering = service.deliver();
    const isDone = () => others.every(({ receiver }) => receiver.received.length === 10);
    for (let turn = 0; turn < 400 && !isDone(); turn++) await setTimeout(10);
    expect(isDone()).toBe(true);
    expect(hanging.receiver.received.length).toBeLessThanOrEqual(8);
    await hanging.receiver.close();
    receivers = receivers.filter((receiver) => receiver !== hanging.receiver);
    await delivering;
  });
});
