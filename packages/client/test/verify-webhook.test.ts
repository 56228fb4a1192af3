import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { verifyWebhook, type WebhookHeaders, WebhookVerificationError } from "../src/index.ts";
import { signWebhook } from "../src/testing.ts";

describe("verify webhook", () => {
  const apiKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const otherKey = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const event = {
    type: "price.alert",
    timestamp: "2026-11-21T12:00:00.000Z",
    data: {
      productId: "p_1",
      product: { name: "Mug ☕" },
      previous: { price: 15.9 },
      current: { price: 12.9 },
    },
  };
  const payload = JSON.stringify(event);

  /** Signs with the same library as the service. */
  function signed(body = payload, { key = apiKey, at = new Date() } = {}) {
    return {
      "webhook-id": "ev_1",
      "webhook-timestamp": `${Math.floor(at.getTime() / 1000)}`,
      "webhook-signature": new Webhook(key).sign("ev_1", at, body),
    };
  }
  const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000);
  afterEach(() => vi.unstubAllGlobals());

  describe("gives the event", () => {
    it.each<[string, string | Uint8Array | ArrayBuffer]>([
      ["text", payload],
      ["bytes", new TextEncoder().encode(payload)],
      ["a Buffer", Buffer.from(payload)],
      ["an ArrayBuffer", new TextEncoder().encode(payload).buffer],
    ])("of %s", async (_name, body) => {
      expect(await verifyWebhook(body, signed(), apiKey)).toEqual(event);
    });

    it.each<[string, WebhookHeaders]>([
      ["Headers", new Headers(signed())],
      ["Node's headers", signed()],
      [
        "headers in other letter case",
        Object.fromEntries(Object.entries(signed()).map(([key, value]) => [key.toUpperCase(), value])),
      ],
      [
        "headers in lists",
        Object.fromEntries(Object.entries(signed()).map(([key, value]) => [key, [value]])),
      ],
    ])("with %s", async (_name, headers) => {
      expect(await verifyWebhook(payload, headers, apiKey)).toEqual(event);
    });

    it("if one of several signatures matches, as after a rotation", async () => {
      const at = new Date();
      const delivery = signed(payload, { at });
      const { "webhook-signature": other } = signed(payload, { key: otherKey, at });
      const both = `v1a,AAAA v1,%%% ${other} ${delivery["webhook-signature"]}`;
      for (const key of [apiKey, otherKey]) {
        expect(await verifyWebhook(payload, { ...delivery, "webhook-signature": both }, key)).toEqual(event);
      }
    });

    it("up to five minutes before and after", async () => {
      for (const at of [secondsAgo(295), secondsAgo(-295)]) {
        expect(await verifyWebhook(payload, signed(payload, { at }), apiKey)).toEqual(event);
      }
    });

    it("for a key without its prefix", async () => {
      expect(await verifyWebhook(payload, signed(), apiKey.slice("whsec_".length))).toEqual(event);
    });

    it("if Web Crypto is not a global, as in Node 18", async () => {
      vi.stubGlobal("crypto", undefined);
      expect(await verifyWebhook(payload, signed(), apiKey)).toEqual(event);
    });
  });

  describe("refuses", () => {
    const without = (name: string) =>
      Object.fromEntries(Object.entries(signed()).filter(([key]) => key !== name));
    const withHeader = (name: string, value: string) => ({ ...signed(), [name]: value });

    it.each<[string, string, WebhookHeaders, string, string]>([
      ["no id", payload, without("webhook-id"), apiKey, "missing_header"],
      ["no timestamp", payload, without("webhook-timestamp"), apiKey, "missing_header"],
      ["no signature", payload, without("webhook-signature"), apiKey, "missing_header"],
      ["an empty signature", payload, withHeader("webhook-signature", ""), apiKey, "missing_header"],
      [
        "a timestamp that is a date",
        payload,
        withHeader("webhook-timestamp", "2026-11-21"),
        apiKey,
        "invalid_timestamp",
      ],
      [
        "a timestamp with a sign",
        payload,
        withHeader("webhook-timestamp", "-1"),
        apiKey,
        "invalid_timestamp",
      ],
      ["an old delivery", payload, signed(payload, { at: secondsAgo(310) }), apiKey, "too_old"],
      ["a delivery from the future", payload, signed(payload, { at: secondsAgo(-310) }), apiKey, "too_new"],
      ["another body", payload.replace("12.9", "1.29"), signed(), apiKey, "no_matching_signature"],
      [
        "a body that was parsed and serialised again",
        JSON.stringify(event, null, 1),
        signed(),
        apiKey,
        "no_matching_signature",
      ],
      ["another id", payload, withHeader("webhook-id", "ev_2"), apiKey, "no_matching_signature"],
      [
        "another time",
        payload,
        withHeader("webhook-timestamp", signedSecondsLater()),
        apiKey,
        "no_matching_signature",
      ],
      ["another key", payload, signed(), otherKey, "no_matching_signature"],
      [
        "a signature with another version",
        payload,
        withHeader("webhook-signature", signed()["webhook-signature"].replace("v1,", "v2,")),
        apiKey,
        "no_matching_signature",
      ],
      [
        "a truncated signature",
        payload,
        withHeader("webhook-signature", signed()["webhook-signature"].slice(0, 24)),
        apiKey,
        "no_matching_signature",
      ],
      [
        "a signature that is not base64",
        payload,
        withHeader("webhook-signature", "v1,%%%"),
        apiKey,
        "no_matching_signature",
      ],
      ["an empty key", payload, signed(), "", "invalid_key"],
      ["a key that is no base64", payload, signed(), "whsec_%%%", "invalid_key"],
      ["text that is no JSON", "hello", signed("hello"), apiKey, "invalid_payload"],
      [
        "an event of another type",
        '{"type":"x","data":{}}',
        signed('{"type":"x","data":{}}'),
        apiKey,
        "invalid_payload",
      ],
      [
        "an event without data",
        '{"type":"price.alert"}',
        signed('{"type":"price.alert"}'),
        apiKey,
        "invalid_payload",
      ],
    ])("%s", async (_name, body, headers, key, reason) => {
      const error: unknown = await verifyWebhook(body, headers, key).catch((caught) => caught);
      expect(error).toBeInstanceOf(WebhookVerificationError);
      expect(error).toMatchObject({ name: "WebhookVerificationError", reason });
    });

    it("a payload that was already parsed, and says so", async () => {
      // @ts-expect-error: a caller without types might pass this
      await expect(verifyWebhook(event, signed(), apiKey)).rejects.toThrow(/body as received/);
    });
  });

  function signedSecondsLater(): string {
    return `${Math.floor(Date.now() / 1000) + 7}`;
  }
});

describe("sign webhook", () => {
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
});
