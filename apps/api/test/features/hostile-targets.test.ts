import type { DeliveryQueue, DeliveryTask } from "@product-search/core/ports/webhooks.ts";
import { attemptDelivery } from "@product-search/features/webhooks/delivery/attempt-delivery.ts";
import { hostileResolveHost, hostileTargets } from "@product-search/outbound-http/testing/hostile-targets.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { createSqliteDeliveryQueue } from "@product-search/stores/delivery-queue/sqlite.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

const webhookHttp = createUndiciOutboundHttp({
  allowNetworks: [],
  httpsOnly: true,
  resolveHost: hostileResolveHost,
});
let service: WebhookService;
let queue: DeliveryQueue;
let webhookId: string;
let deliveryId: string;

beforeAll(async () => {
  service = await createWebhookService({ ports: (ports) => ({ ...ports, webhookHttp }) });
  webhookId = (await service.createWebhook({ webhookUrl: "https://public.example/" })).id;
  const queued = await service.call({ method: "POST", url: `/webhooks/${webhookId}/test` });
  deliveryId = queued.json().data.id;
  queue = createSqliteDeliveryQueue({ ...service.stores.database, ...service.stores });
  await queue.heartbeat();
});
afterAll(async () => {
  await service.close();
  await webhookHttp.close();
});

/** Stores the target without a check, as if an older release had accepted it or its name had changed since. */
function turnTo(url: string) {
  service.stores.database.connection.prepare("update webhooks set url = ?").run(url);
}

async function takeTask(): Promise<DeliveryTask> {
  const wanted = (await queue.waiting()).map((webhook) => ({
    webhook,
    count: 1,
    room: { webhook: 1, account: 1 },
  }));
  const [task] = await queue.exchange([], wanted, 0);
  if (task === undefined) throw new Error("Nothing is due.");
  await queue.exchange([{ task }], [], 0);
  return task;
}

describe.each(hostileTargets)("%j is refused", (url) => {
  it("on registration", async () => {
    const payload = { webhookUrl: url, webhookType: "price.alert" };
    const response = await service.call({ method: "POST", url: "/webhooks", payload });
    expect(response.statusCode).toBe(400);
    // An invalid URL is refused by the spec before the target is checked.
    expect(response.json().code).toMatch(/^(webhook_target_forbidden|invalid_request)$/);
    expect(response.json().error).toMatch(/^Webhook validation failed: webhookUrl:/);
  });

  it("on test and replay", async () => {
    turnTo(url);
    for (const path of ["test", `deliveries/${deliveryId}/replay`]) {
      const response = await service.call({ method: "POST", url: `/webhooks/${webhookId}/${path}` });
      expect(response.json()).toMatchObject({ code: "webhook_target_forbidden" });
    }
  });

  it("on delivery", async () => {
    turnTo(url);
    const deps = { webhookHttp, clock: service.clock, random: () => 0.5 };
    const task = { ...(await takeTask()), test: false };
    const { attempt } = await attemptDelivery(deps, task, new AbortController().signal);
    expect(attempt).toMatchObject({ verdict: "retry", error: expect.any(String) });
    expect(attempt).not.toHaveProperty("responseStatus");
    expect(attempt?.error).toMatch(/not allowed|only public IP addresses|URL is not valid/);
  });
});
