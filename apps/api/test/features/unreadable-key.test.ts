import { maxFailures } from "@product-search/core/ports/webhooks.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { type Receiver, startReceiver } from "@product-search/testing/receiver.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

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
