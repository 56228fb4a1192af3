import { Webhook, WebhookVerificationError } from "standardwebhooks";

/** Returns the event of a delivery, or throws an error that says why it cannot be trusted. */
export function verifyDelivery(
  body: string,
  headers: Readonly<Record<string, string>>,
  key: string,
): unknown {
  try {
    return new Webhook(key).verify(body, { ...headers });
  } catch (cause) {
    throw new Error(reasonOf(cause), { cause });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof WebhookVerificationError))
    return "The key is not valid: it must start with whsec_, followed by base64.";
  if (error.message === "Missing required headers") {
    return "webhook-id, webhook-timestamp and webhook-signature are not all present: this is not a delivery of the service.";
  }
  if (/too (old|new)/.test(error.message)) {
    return "It was signed more than five minutes ago or ahead: it is being replayed, or one of the two clocks is wrong.";
  }
  return "The signature does not fit these bytes: they were changed on the way (by a proxy, or a framework that parsed and wrote them anew), or the key is another webhook's.";
}
