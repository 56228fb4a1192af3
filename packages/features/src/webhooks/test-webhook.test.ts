import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { verifyDelivery } from "./test-webhook.ts";

const key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const event = {
  type: "price.alert",
  data: { previous: { price: 12.9 }, current: { price: 9.5 }, name: "Café" },
};
const body = JSON.stringify(event);

function headers(at = new Date(), signingKey = key) {
  return {
    "webhook-id": "ev_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(signingKey).sign("ev_1", at, body),
  };
}

describe("verifyDelivery", () => {
  test("returns the event of a valid delivery", () => {
    expect(verifyDelivery(body, headers(), key)).toEqual(event);
  });

  test("accepts any of several signatures, as after a rotation", () => {
    const signed = headers();
    const other = headers(new Date(), "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");
    const both = {
      ...signed,
      "webhook-signature": `${other["webhook-signature"]} ${signed["webhook-signature"]}`,
    };
    expect(verifyDelivery(body, both, key)).toEqual(event);
  });

  test.each([
    ["pretty-printed", JSON.stringify(event, undefined, 2)],
    ["written anew in another order", JSON.stringify({ data: event.data, type: event.type })],
    ["escaped otherwise", body.replace("é", "\\u00e9")],
    ["tampered with", body.replace("9.5", "0.5")],
    ["with a line feed more", `${body}\n`],
  ])("says that the bytes were changed when they are %s", (_, changed) => {
    expect(() => verifyDelivery(changed, headers(), key)).toThrow(/does not fit these bytes/);
  });

  test("reports a wrong key and an invalid one", () => {
    expect(() => verifyDelivery(body, headers(), "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD")).toThrow(
      /another webhook's/,
    );
    expect(() => verifyDelivery(body, headers(), "whsec_!")).toThrow(/must start with whsec_/);
  });

  test("refuses deliveries that are old, from the future, or without headers", () => {
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    expect(() => verifyDelivery(body, headers(minutes(-6)), key)).toThrow(/more than five minutes/);
    expect(() => verifyDelivery(body, headers(minutes(6)), key)).toThrow(/more than five minutes/);
    expect(() => verifyDelivery(body, {}, key)).toThrow(/not all present/);
  });
});
