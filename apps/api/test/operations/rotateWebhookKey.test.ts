import { startReceiver } from "@product-search/testing/receiver.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it } from "vitest";
import { createWebhookService } from "../../testing/webhook-service.ts";

const service = await createWebhookService();
afterAll(() => service.close());

const _request = { method: "POST", url: "/webhooks/wh_0000000000000000/rotate-key" } as const;

const hourMs = 3_600_000;

/** A webhook with a target, and a function that returns the keys that sign its deliveries. */
async function createSigned() {
  const receiver = await startReceiver();
  const { id, apiKey } = await service.createWebhook({ webhookUrl: receiver.url });
  const url = `/webhooks/${id}/rotate-key`;
  const signsWith = async (...keys: string[]): Promise<boolean[]> => {
    await service.call({ method: "POST", url: `/webhooks/${id}/test` });
    await service.deliver();
    const last = receiver.received.at(-1);
    if (last === undefined) throw new Error("Nothing was delivered.");
    const signed = String(last.headers["webhook-signature"]).split(" ");
    const [event, at] = [String(last.headers["webhook-id"]), new Date(service.clock.nowMs)];
    expect(signed.length).toBeLessThanOrEqual(3);
    return keys.map((key) => signed.includes(new Webhook(key).sign(event, at, last.body)));
  };
  const rotate = (payload?: object) => service.call({ method: "POST", url, ...(payload && { payload }) });
  const newKey = async (payload?: object): Promise<string> => {
    const response = await rotate(payload);
    expectDocumented("rotateWebhookKey", 200, response);
    return response.json().data.apiKey;
  };
  return { id, apiKey, signsWith, rotate, newKey, close: () => receiver.close() };
}

describe("200", () => {
  it("returns a new key; for a day both keys sign, then only the new one", async () => {
    const { id, apiKey, signsWith, rotate, close } = await createSigned();
    const response = await rotate();
    expectDocumented("rotateWebhookKey", 200, response);
    const rotated = response.json().data;
    expect(rotated).toMatchObject({ id, apiKey: expect.stringMatching(/^whsec_/) });
    expect(rotated.apiKey).not.toBe(apiKey);
    expect(await signsWith(apiKey, rotated.apiKey)).toEqual([true, true]);
    service.clock.nowMs += 24 * hourMs;
    expect(await signsWith(apiKey, rotated.apiKey)).toEqual([false, true]);
    await close();
  });

  it("keeps each former key for its own 24 hours, even after another rotation", async () => {
    const { apiKey, signsWith, newKey, close } = await createSigned();
    const second = await newKey({ revokeFormer: false });
    service.clock.nowMs += 10 * hourMs;
    const third = await newKey({});
    expect(await signsWith(apiKey, second, third)).toEqual([true, true, true]);
    service.clock.nowMs += 14 * hourMs;
    expect(await signsWith(apiKey, second, third)).toEqual([false, true, true]);
    service.clock.nowMs += 10 * hourMs;
    expect(await signsWith(apiKey, second, third)).toEqual([false, false, true]);
    await close();
  });

  it("revokes all former keys at once on request, including the one that is replaced", async () => {
    const { apiKey, signsWith, newKey, close } = await createSigned();
    const keys = [apiKey, await newKey(), await newKey()];
    const last = await newKey({ revokeFormer: true });
    expect(await signsWith(...keys, last)).toEqual([false, false, false, true]);
    const next = await newKey();
    expect(await signsWith(last, next)).toEqual([true, true]);
    await close();
  });
});

describe("400 for a body", () => {
  it.each<[string, object | string]>([
    ["that is no object", "[]"],
    ["with an unknown field", { revoke: true }],
    ["with another type", { revokeFormer: "yes" }],
    ["that breaks off", "{"],
  ])("%s", async (_, payload) => {
    const { id } = await service.createWebhook();
    const headers = { "content-type": "application/json" };
    const response = await service.call({
      method: "POST",
      url: `/webhooks/${id}/rotate-key`,
      payload,
      headers,
    });
    expectDocumented("rotateWebhookKey", 400, response);
  });
});

describe("409", () => {
  it("with an Idempotency-Key that was used for another request", async () => {
    const headers = { "idempotency-key": "the-same" };
    const [first, second] = [await service.createWebhook(), await service.createWebhook()];
    const call = (id: string) => service.call({ method: "POST", url: `/webhooks/${id}/rotate-key`, headers });
    const done = await call(first.id);
    expectDocumented("rotateWebhookKey", 200, done);
    expect((await call(first.id)).json()).toEqual(done.json());
    const response = await call(second.id);
    expectDocumented("rotateWebhookKey", 409, response);
    expect(response.json()).toMatchObject({ code: "idempotency_mismatch" });
  });
});

describe("409 key_limit_reached", () => {
  it("for a fourth key, until the oldest has expired", async () => {
    const { apiKey, signsWith, rotate, newKey, close } = await createSigned();
    const second = await newKey();
    service.clock.nowMs += hourMs;
    const third = await newKey();
    const response = await rotate();
    expectDocumented("rotateWebhookKey", 409, response);
    const expiry = new Date(service.clock.nowMs + 23 * hourMs).toISOString();
    expect(response.json()).toMatchObject({
      code: "key_limit_reached",
      error: expect.stringContaining(expiry),
    });
    expect(await signsWith(apiKey, second, third)).toEqual([true, true, true]);
    service.clock.nowMs += 23 * hourMs;
    const fourth = await newKey();
    expect(await signsWith(apiKey, second, third, fourth)).toEqual([false, true, true, true]);
    await close();
  });
});
