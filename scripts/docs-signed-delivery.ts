/**
 * The start of a program that defines `rawBody` or `payload`, `headers`, `request` and `apiKey` for blocks about
 * webhooks.
 */
export const signedDelivery = `
import { Webhook as Signer } from "standardwebhooks";
const apiKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const product = { name: "Mug" };
const rawBody = JSON.stringify({ type: "price.alert", data: { product, previous: { price: 2 }, current: { price: 1 } } });
const payload = rawBody;
const now = new Date();
const headers = {
  "webhook-id": "ev_1",
  "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
  "webhook-signature": new Signer(apiKey).sign("ev_1", now, rawBody),
};
const request = { headers };
`;
