import { setTimeout } from "node:timers/promises";
import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { retryDeadLetters } from "@product-search/features/dead-letters/dead-letters.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { type Receiver, type Respond, startReceiver } from "@product-search/testing/receiver.ts";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

describe("delivery", () => {
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
      const target = await receive((response) =>
        response.writeHead(status, { location: "/elsewhere" }).end(),
      );
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
});

describe("retry dead letters", () => {
  let fixture: ImportFixture;
  beforeEach(async () => {
    fixture = await createImportFixture();
  });
  afterEach(() => fixture.close());

  test("a product that could not be applied is applied on retry", async () => {
    const { connection } = fixture.stores.database;
    connection.exec(
      "create trigger poison before insert on products when new.price_minor = 666 begin select raise(abort, 'poison'); end",
    );
    await fixture.run(fixture.file(nativeLine("bad", { price: 6.66 })));
    expect(await retryDeadLetters(fixture.stores, "all")).toMatchObject([{ outcome: "failed" }]);
    connection.exec("drop trigger poison");
    expect(await retryDeadLetters(fixture.stores, "all")).toMatchObject([{ outcome: "retried" }]);
    expect(await fixture.products()).toMatchObject([{ key: "bad", priceMinor: 666 }]);
    expect(await retryDeadLetters(fixture.stores, "all")).toEqual([]);
  });

  test("an earlier state is not applied over a later one", async () => {
    const { connection } = fixture.stores.database;
    await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
    connection.exec(
      "create trigger poison before update on products when new.price_minor = 666 begin select raise(abort, 'poison'); end",
    );
    await fixture.run(fixture.file(nativeLine("a", { price: 6.66 })));
    connection.exec("drop trigger poison");
    await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
    expect(await retryDeadLetters(fixture.stores, "all")).toEqual([]);
    expect(await fixture.products()).toMatchObject([{ priceMinor: 100 }]);
  });
});

describe("unreadable key", () => {
  const dayMs = 24 * 3600 * 1000;

  let service: WebhookService;
  let receiver: Receiver;
  beforeEach(async () => {
    service = await createWebhookService();
    receiver = await startReceiver();
    await change(1000);
  });
  afterEach(async () => {
    await service.close();
    await receiver.close();
  });

  const change = (priceMinor: number) =>
    service.stores.catalogStore.apply([productInput("mug", { priceMinor })]);
  const received = () => receiver.received.map(({ path }) => path);
  const deliveriesOf = async (id: string) =>
    (await service.call({ url: `/webhooks/${id}/deliveries` })).json().data;

  function keyOf(id: string): Uint8Array {
    const row = service.stores.database.connection
      .prepare<[string], { key: Uint8Array }>("select key from webhooks where id = ?")
      .get(id);
    if (row === undefined) throw new Error(`There is no webhook ${id}.`);
    return row.key;
  }
  const setKey = (id: string, key: Uint8Array) =>
    service.stores.database.connection.prepare("update webhooks set key = ? where id = ?").run(key, id);

  async function twoWebhooks() {
    const broken = await service.createWebhook({ webhookUrl: `${receiver.url}/broken` });
    const healthy = await service.createWebhook({ webhookUrl: `${receiver.url}/healthy` });
    const key = keyOf(broken.id);
    setKey(broken.id, new Uint8Array(60));
    return { broken, healthy, repair: () => setKey(broken.id, key) };
  }

  it("a key that cannot be read fails only the deliveries of its own webhook", async () => {
    const { broken, healthy } = await twoWebhooks();
    await change(900);
    await service.deliver();
    expect(received()).toEqual(["/healthy"]);
    expect(await deliveriesOf(healthy.id)).toMatchObject([{ status: "succeeded" }]);
    expect(await deliveriesOf(broken.id)).toMatchObject([
      {
        status: "pending",
        attempts: [{ responseStatus: null, error: expect.stringMatching(/signing key .* cannot be read/) }],
      },
    ]);
  });

  it("a delivery whose key becomes readable again is sent by the next attempt", async () => {
    const { broken, repair } = await twoWebhooks();
    await change(900);
    await service.deliver();
    repair();
    service.clock.nowMs += dayMs;
    await service.deliver();
    expect(received()).toEqual(["/healthy", "/broken"]);
    expect(await deliveriesOf(broken.id)).toMatchObject([{ status: "succeeded" }]);
  });

  it("after five failures a delivery becomes a dead letter, which can be listed and retried", async () => {
    const { broken, repair } = await twoWebhooks();
    await change(900);
    for (let attempt = 0; attempt < maxFailures + 2; attempt++) {
      await service.deliver();
      service.clock.nowMs += dayMs;
    }
    const [delivery] = await deliveriesOf(broken.id);
    expect(delivery).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(delivery.attempts).toHaveLength(maxFailures);
    const { deadLetters } = service.stores;
    const [letter, ...others] = (await deadLetters.list({ limit: 10 })).letters;
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      queue: "deliveries",
      item: delivery.id,
      error: expect.stringMatching(/cannot be read/),
      failures: maxFailures,
    });
    expect(
      await service.stores.webhookStore.find({ accountId: broken.parentId, webhookId: broken.id }),
    ).not.toHaveProperty("disabled");

    repair();
    expect(await deadLetters.retry(letter?.id ?? "")).toBe("retried");
    expect(await deadLetters.retry(letter?.id ?? "")).toBe("absent");
    await service.deliver();
    expect(received()).toEqual(["/healthy", "/broken"]);
    expect((await deadLetters.list({ limit: 10 })).letters).toEqual([]);
    expect(await deliveriesOf(broken.id)).toMatchObject([{ status: "succeeded" }]);
  });

  it("a test delivery that cannot be signed fails at once and does not become a dead letter", async () => {
    const { broken } = await twoWebhooks();
    await service.call({ method: "POST", url: `/webhooks/${broken.id}/test` });
    await service.deliver();
    expect(await deliveriesOf(broken.id)).toMatchObject([
      { status: "failed", attempts: [{ error: expect.stringMatching(/cannot be read/) }] },
    ]);
    expect(await service.stores.deadLetters.list({ limit: 10 })).toEqual({ letters: [] });
  });
});
