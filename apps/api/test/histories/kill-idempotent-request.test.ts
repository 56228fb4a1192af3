import { fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToken } from "@product-search/features/accounts/tokens.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, expect, it } from "vitest";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import type { LifePlan } from "../../testing/idempotent-requests/life.ts";
import { type RequestPlan, sendRequests } from "../../testing/idempotent-requests/send-requests.ts";
import { testActor } from "../../testing/test-service.ts";

const life = new URL("../../testing/idempotent-requests/life.ts", import.meta.url);
const startMs = Date.UTC(2026, 10, 20);
/** How long the idempotency claim of a crashed request blocks its retries. */
const claimMs = 5000;
const maxWrites = 30;
const firstKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

let folder: string;
let token: string;
let webhookId: string;
let deliveryId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kill-idempotent-"));
  const stores = await open("template");
  ({ token } = await createToken(stores, testActor, { account: "partner", scopes: ["webhooks", "catalog"] }));
  await stores.catalogStore.apply([fakeMug("catalog", 1, { key: "mug", priceMinor: 900 })]);
  const { id: accountId } = await stores.accountStore.ensureAccount("partner");
  const url = "https://8.8.8.8/hook";
  const webhook = await stores.webhookStore.create(
    { accountId, url, type: "price.alert", key: firstKey },
    100,
  );
  webhookId = webhook?.id ?? "";
  deliveryId = (await stores.webhookStore.queueTest({ accountId, webhookId }, "{}"))?.id ?? "";
  await stores.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const open = (name: string) =>
  composeSqliteStores(readConfig({ DATA_DIR: join(folder, name) }), { now: () => startMs });

/** The contents of the database that the requests create. */
async function readEffects(name: string) {
  const { database, secretBox, close } = await open(name);
  const { connection } = database;
  const webhooks = connection
    .prepare<[], { id: string; key: Uint8Array }>("select id, key from webhooks order by row_id")
    .all();
  const deliveries = connection
    .prepare<[], { id: string }>("select id from deliveries order by row_id")
    .all();
  const prices = connection
    .prepare<[], { price: number }>("select price_minor as price from price_history order by at, id")
    .all();
  const effects = {
    prices: prices.map(({ price }) => price),
    keys: webhooks.map(({ key }) => secretBox.open(key)),
    webhooks: webhooks.map(({ id }) => id),
    deliveries: deliveries.map(({ id }) => id),
  };
  await close();
  return effects;
}
type Effects = Awaited<ReturnType<typeof readEffects>>;

/** True if the request was killed, false if it ended before that write. */
async function liveUntil(plan: LifePlan): Promise<boolean> {
  const child = fork(life, [JSON.stringify(plan)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [code, signal] = await once(child, "close");
  if (code !== 0 && signal !== "SIGKILL") throw new Error(`The life ended with ${signal ?? code}.`);
  return signal === "SIGKILL";
}

/** Kills the request before its nth write and sends it again. Undefined if it has fewer writes. */
async function killAndRetry(name: string, request: InjectOptions, atWrite: number) {
  const dataDir = join(folder, name);
  cpSync(join(folder, "template"), dataDir, { recursive: true });
  const plan: RequestPlan = { dataDir, token, nowMs: startMs, requests: [request] };
  if (!(await liveUntil({ ...plan, atWrite }))) return undefined;
  const [early] = await sendRequests({ ...plan, nowMs: startMs + 1 });
  const later = await sendRequests({ ...plan, nowMs: startMs + claimMs + 2, requests: [request, request] });
  const effects = await readEffects(name);
  rmSync(dataDir, { recursive: true });
  return { early, later, effects };
}

async function expectOnce(
  operation: string,
  path: string,
  payload: object | undefined,
  check: (data: { id: string; apiKey: string }, effects: Effects, body: unknown) => void,
) {
  const headers = { "idempotency-key": "once" };
  const request: InjectOptions = { method: "POST", url: path, headers, ...(payload && { payload }) };
  let kills = 0;
  for (let atWrite = 1; atWrite <= maxWrites; atWrite++) {
    const outcome = await killAndRetry(`${operation}-${atWrite}`, request, atWrite);
    if (outcome === undefined) break;
    kills += 1;
    const { early, later, effects } = outcome;
    expect([200, 201, 409], early?.body).toContain(early?.status);
    if (early?.status === 409) expect(Number(early.retryAfter)).toBeLessThanOrEqual(claimMs / 1000);
    const [first, second] = later;
    expect([200, 201], `${operation} after a kill before write ${atWrite}: ${first?.body}`).toContain(
      first?.status,
    );
    const told = JSON.parse(first?.body ?? "");
    expect(JSON.parse(second?.body ?? "")).toEqual(told);
    if (early?.status !== 409) expect(JSON.parse(early?.body ?? "")).toEqual(told);
    check(told.data, effects, told);
  }
  expect(kills).toBeGreaterThan(4);
  expect(kills).toBeLessThan(maxWrites);
}

const slow = { timeout: 300_000 };

it("createWebhook, killed at any write, creates one webhook and returns its key", slow, async () => {
  const payload = { webhookUrl: "https://8.8.4.4/new", webhookType: "price.alert" };
  await expectOnce("createWebhook", "/webhooks", payload, ({ id, apiKey }, effects) => {
    expect(effects.webhooks).toEqual([webhookId, id]);
    expect(effects.keys).toEqual([firstKey, apiKey]);
  });
});

it("rotateWebhookKey, killed at any write, rotates once to the returned key", slow, async () => {
  await expectOnce(
    "rotateWebhookKey",
    `/webhooks/${webhookId}/rotate-key`,
    undefined,
    ({ apiKey }, effects) => {
      expect(effects.keys).toEqual([apiKey]);
    },
  );
});

it("testWebhook, killed at any write, queues one delivery", slow, async () => {
  await expectOnce("testWebhook", `/webhooks/${webhookId}/test`, undefined, ({ id }, effects) => {
    expect(effects.deliveries).toEqual([deliveryId, id]);
  });
});

it("replayDelivery, killed at any write, queues one delivery", slow, async () => {
  const path = `/webhooks/${webhookId}/deliveries/${deliveryId}/replay`;
  await expectOnce("replayDelivery", path, undefined, ({ id }, effects) => {
    expect(effects.deliveries).toEqual([deliveryId, id]);
  });
});

it("upsertProducts, killed at any write, changes the price and queues the alert once", slow, async () => {
  const payload = { products: [{ _id: "mug", price: 7, availability: "in_stock" }] };
  await expectOnce("upsertProducts", "/products", payload, (_, effects, body) => {
    expect(body).toMatchObject({ status: "success", rejectedCount: 0, notFound: 0 });
    expect(effects.prices).toEqual([900, 700]);
    // One more than before: the event of the price.
    expect(effects.deliveries).toHaveLength(2);
  });
});
