import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../src/index.ts";
import { signWebhook } from "../src/testing.ts";

const apiKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const payload = '{"type":"price.alert","data":{"näme":1}}';

describe("signWebhook", () => {
  it("creates signatures that verifyWebhook and the libraries of Standard Webhooks accept", async () => {
    const signed = await signWebhook(payload, apiKey);
    expect(await verifyWebhook(signed.payload, signed.headers, apiKey)).toEqual(JSON.parse(payload));
    expect(new Webhook(apiKey).verify(signed.payload, signed.headers)).toEqual(JSON.parse(payload));
  });

  it("gives each delivery an identifier, or the given one", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await signWebhook(payload, apiKey)).headers["webhook-id"]),
    );
    expect(new Set(ids).size).toBe(2);
    expect((await signWebhook(payload, apiKey, { id: "ev_1" })).headers["webhook-id"]).toBe("ev_1");
  });

  it("creates deliveries that a receiver must refuse", async () => {
    const old = await signWebhook(payload, apiKey, { sentAt: new Date(Date.now() - 600_000) });
    await expect(verifyWebhook(old.payload, old.headers, apiKey)).rejects.toMatchObject({
      reason: "too_old",
    });
    const foreign = await signWebhook(payload, "whsec_AAAAAAAA");
    await expect(verifyWebhook(foreign.payload, foreign.headers, apiKey)).rejects.toMatchObject({
      reason: "no_matching_signature",
    });
  });

  it("reports an invalid key", async () => {
    await expect(signWebhook(payload, "secret!")).rejects.toThrow(
      /^apiKey is not valid: it must start with whsec_/,
    );
  });
});
