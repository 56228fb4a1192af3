import type { WebhookEvent } from "@product-search/types";
import { algorithm, fromBase64, signedBytes, webCrypto } from "./webhook-signature.ts";

export interface SignOptions {
  /** The `webhook-id`. Default: a new one. */
  id?: string;
  /** When the delivery was sent. Default: now. Give an old time to test that your receiver refuses it. */
  sentAt?: Date;
}

export interface SignedWebhook {
  /** The body of the delivery. Pass it to your receiver unchanged. */
  payload: string;
  headers: {
    "content-type": string;
    "webhook-id": string;
    "webhook-timestamp": string;
    "webhook-signature": string;
  };
}

/**
 * Signs an event as the service does, for tests of your receiver.
 * @param event The event, or the text of a body to sign unchanged.
 * @param apiKey Any key that starts with `whsec_`, followed by base64: the one that your receiver uses.
 */
export async function signWebhook(
  event: WebhookEvent | string,
  apiKey: string,
  { id = `ev_${Date.now()}${Math.floor(Math.random() * 1e6)}`, sentAt = new Date() }: SignOptions = {},
): Promise<SignedWebhook> {
  const payload = typeof event === "string" ? event : JSON.stringify(event);
  const timestamp = `${Math.floor(sentAt.getTime() / 1000)}`;
  const key = fromBase64(apiKey.replace(/^whsec_/, ""));
  if (!key || key.length === 0)
    throw new TypeError("apiKey is not valid: it must start with whsec_, followed by base64.");
  const { subtle } = await webCrypto();
  const imported = await subtle.importKey("raw", key, algorithm, false, ["sign"]);
  const body = new TextEncoder().encode(payload);
  const signature = await subtle.sign(algorithm, imported, signedBytes(id, timestamp, body));
  const encoded = btoa(String.fromCharCode(...new Uint8Array(signature)));
  return {
    payload,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${encoded}`,
    },
  };
}
