import { type WebhookEvent, webhookTypeValues } from "@product-search/types";
import { algorithm, fromBase64, signedBytes, webCrypto } from "./webhook-signature.ts";

/** Why the verification failed. */
export type WebhookVerificationReason =
  | "invalid_key"
  | "missing_header"
  | "invalid_timestamp"
  | "too_old"
  | "too_new"
  | "no_matching_signature"
  | "invalid_payload";

/** The delivery cannot be trusted. Respond with 400 or 401 and do not process it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The headers of the delivery: a `Headers` object, or an object as in Node's `http` and most frameworks. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceSeconds = 5 * 60;

/**
 * Verifies a delivery according to Standard Webhooks and returns its event.
 * @param payload The body exactly as received, before any parsing.
 * @param headers The headers of the delivery.
 * @param apiKey The `apiKey` of the webhook.
 * @throws {WebhookVerificationError} if the delivery was not signed with the key, was changed, or is more than five minutes old.
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  apiKey: string,
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  checkTimestamp(timestamp);
  const body = bytesOf(payload);
  const signed = signedBytes(id, timestamp, body);
  if (!(await isSigned(signed, signatures, keyBytes(apiKey)))) {
    throw new WebhookVerificationError(
      "no_matching_signature",
      "No signature matches: the body was changed (verify it before you parse it), or the key belongs to another webhook.",
    );
  }
  return eventIn(body);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  const text = typeof value === "string" ? value : value?.join(" ");
  if (text) return text;
  throw new WebhookVerificationError(
    "missing_header",
    `The header ${name} is missing: this is not a delivery of the service.`,
  );
}

function checkTimestamp(timestamp: string): void {
  if (!/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError("invalid_timestamp", "webhook-timestamp is not a number of seconds.");
  }
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError(
      "too_old",
      `The delivery is ${Math.round(ageSeconds)} s old, more than five minutes: it may be a replay attack, or this clock is fast.`,
    );
  }
  if (ageSeconds < -toleranceSeconds) {
    throw new WebhookVerificationError(
      "too_new",
      `The delivery is dated ${Math.round(-ageSeconds)} s in the future, more than five minutes: this clock may be slow.`,
    );
  }
}

async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: string,
  key: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { subtle } = await webCrypto();
  const imported = await subtle.importKey("raw", key, algorithm, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const [version, encoded = ""] = signature.split(",", 2);
    const bytes = version === "v1" ? fromBase64(encoded) : undefined;
    // `verify` compares in constant time.
    if (bytes && (await subtle.verify(algorithm, imported, bytes, signed))) return true;
  }
  return false;
}

function keyBytes(apiKey: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(apiKey.replace(/^whsec_/, ""));
  if (bytes && bytes.length > 0) return bytes;
  throw new WebhookVerificationError(
    "invalid_key",
    "apiKey is not valid: it must start with whsec_, followed by base64.",
  );
}

function eventIn(body: Uint8Array<ArrayBuffer>): WebhookEvent {
  try {
    const event: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isEvent(event)) return event;
  } catch {
    // reported below, with the other errors of the body
  }
  throw new WebhookVerificationError(
    "invalid_payload",
    "The signature is valid, but this version of the client does not know the event. Check for a newer version.",
  );
}

function isEvent(value: unknown): value is WebhookEvent {
  if (typeof value !== "object" || value === null || !("type" in value) || !("data" in value)) return false;
  return (
    webhookTypeValues.some((type) => type === value.type) &&
    typeof value.data === "object" &&
    value.data !== null
  );
}

function bytesOf(payload: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  if (typeof payload === "string") return new TextEncoder().encode(payload);
  if (payload instanceof ArrayBuffer) return new Uint8Array(payload);
  if (payload instanceof Uint8Array) return new Uint8Array(payload);
  throw new TypeError("payload must be the body as received, as text or bytes, not a parsed object.");
}
