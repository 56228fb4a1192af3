import { createHmac, randomUUID } from "node:crypto";

/** Sends a webhook that was just created one sample event of its type, and says on standard error when that fails. */
export function createSampleSender(document: { paths: Record<string, object> }) {
  const events = sampleEventsIn(document);
  return (requested: unknown, responded: unknown): void => {
    const url = textAt(requested, "webhookUrl");
    const event = events.get(textAt(requested, "webhookType") ?? "");
    const apiKey = textAt(responded, "data", "apiKey");
    if (url === undefined || event === undefined || apiKey === undefined) return;
    // A moment later, so that the partner knows the key before the event comes.
    setTimeout(async () => {
      const failure = await deliver(url, apiKey, event);
      if (failure !== undefined) console.error(`The sample event did not reach ${url}: ${failure}`);
    }, 250).unref();
  };
}

/** The events that the document shows with the creation of a webhook, by type. */
function sampleEventsIn(document: { paths: Record<string, object> }): Map<string, object> {
  const events = new Map<string, object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("example" in value && isEvent(value.example)) events.set(value.example.type, value.example);
    else Object.values(value).forEach(visit);
  };
  visit(document.paths["/webhooks"]);
  return events;
}

function isEvent(value: unknown): value is { type: string } {
  return typeof value === "object" && value !== null && "type" in value && "data" in value;
}

function textAt(value: unknown, ...keys: string[]): string | undefined {
  const found = keys.reduce<unknown>((inner, key) => new Map(Object.entries(inner ?? {})).get(key), value);
  return typeof found === "string" ? found : undefined;
}

/** Sends an event once, signed with the key as the Standard Webhooks specification says. Tells of a failure, if any. */
async function deliver(url: string, apiKey: string, event: object): Promise<string | undefined> {
  const id = `ev_${randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const body = JSON.stringify(event);
  const key = Buffer.from(apiKey.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": `v1,${signature}`,
  };
  try {
    const signal = AbortSignal.timeout(15_000);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    return response.ok ? undefined : `it responded with ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.cause ?? ""}`.trim() : `${error}`;
  }
}
