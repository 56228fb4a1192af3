import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startReceiver } from "../../testing/receiver.ts";
import { expectDocumented } from "../../testing/spec-check.ts";
import { expectRefusal } from "../../testing/webhook-refusals.ts";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

let service: WebhookService;
beforeAll(async () => {
  service = await createWebhookService();
});
afterAll(() => service.close());

const request = { method: "POST", url: "/webhooks/wh_0000000000000000/rotate-key" } as const;

describe("200", () => {
  it("gives a new key; for a day both sign, then the new one alone", async () => {
    const receiver = await startReceiver();
    const { id, apiKey } = await service.createWebhook({ webhookUrl: receiver.url });
    const answer = await service.call({ method: "POST", url: `/webhooks/${id}/rotate-key` });
    expectDocumented("rotateWebhookKey", 200, answer);
    const rotated = answer.json().data;
    expect(rotated).toMatchObject({ id, apiKey: expect.stringMatching(/^whsec_/) });
    expect(rotated.apiKey).not.toBe(apiKey);

    const isValid = async (key: string) => {
      await service.call({ method: "POST", url: `/webhooks/${id}/test` });
      await service.deliver();
      const last = receiver.received.at(-1);
      if (last === undefined) throw new Error("Nothing was delivered.");
      const signed = String(last.headers["webhook-signature"]).split(" ");
      const at = new Date(service.clock.nowMs);
      return signed.includes(new Webhook(key).sign(String(last.headers["webhook-id"]), at, last.body));
    };
    expect([await isValid(apiKey), await isValid(rotated.apiKey)]).toEqual([true, true]);
    service.clock.nowMs += 24 * 3_600_000;
    expect([await isValid(apiKey), await isValid(rotated.apiKey)]).toEqual([false, true]);
    await receiver.close();
  });
});

describe("400", () => {
  it("with a parameter that does not exist", async () => {
    const answer = await service.call({ ...request, query: { verbose: "1" } });
    expectDocumented("rotateWebhookKey", 400, answer);
    expect(answer.json()).toMatchObject({
      message: "Validation error",
      error: expect.stringMatching(/^Webhook validation failed: verbose:/),
      code: "invalid_request",
    });
  });
});

describe("401", () => {
  it("without a token", () => expectRefusal("rotateWebhookKey", 401, request));
});

describe("403", () => {
  it("with a token that lacks the scope", () => expectRefusal("rotateWebhookKey", 403, request));
});

describe("404", () => {
  it.each(["wh_0000000000000000", "nonsense", "%20", "a".repeat(500)])("for %s", async (id) => {
    const answer = await service.call({ method: "POST", url: `/webhooks/${id}/rotate-key` });
    expectDocumented("rotateWebhookKey", 404, answer);
    expect(answer.json()).toMatchObject({ success: false, code: "webhook_not_found" });
  });

  it("for another account's webhook", async () => {
    const { id } = await service.createWebhook();
    expectDocumented(
      "rotateWebhookKey",
      404,
      await service.callAsOther({ method: "POST", url: `/webhooks/${id}/rotate-key` }),
    );
  });

  it("for one that was deleted", async () => {
    const { id } = await service.createWebhook();
    await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    expectDocumented(
      "rotateWebhookKey",
      404,
      await service.call({ method: "POST", url: `/webhooks/${id}/rotate-key` }),
    );
  });
});

describe("406", () => {
  it("with an Accept that excludes JSON", () => expectRefusal("rotateWebhookKey", 406, request));
});

describe("409", () => {
  it("with an Idempotency-Key that was used for another request", async () => {
    const headers = { "idempotency-key": "the-same" };
    const [first, second] = [await service.createWebhook(), await service.createWebhook()];
    const call = (id: string) => service.call({ method: "POST", url: `/webhooks/${id}/rotate-key`, headers });
    const done = await call(first.id);
    expectDocumented("rotateWebhookKey", 200, done);
    expect((await call(first.id)).json()).toEqual(done.json());
    const answer = await call(second.id);
    expectDocumented("rotateWebhookKey", 409, answer);
    expect(answer.json()).toMatchObject({ code: "idempotency_mismatch" });
  });
});

describe("429", () => {
  it("over the limit of the token", () => expectRefusal("rotateWebhookKey", 429, request));
});

describe("500", () => {
  it("when the store fails, without saying how", () => expectRefusal("rotateWebhookKey", 500, request));
});

describe("503", () => {
  it("when the store has no room", () => expectRefusal("rotateWebhookKey", 503, request));
});
