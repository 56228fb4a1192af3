import type { Partner, Target } from "./partner.ts";
import { webhookUrl } from "./partner.ts";

/** What is sent: Dredd's request, which a provocation changes until the wanted status is the right answer. */
export interface OutgoingRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface ProvocationInput {
  request: OutgoingRequest;
  partner: Partner;
  target: Target;
  /** What the operation's path asks for: identifiers that exist. */
  ids: { imageSlug: string; webhook: string; delivery: string };
}

/** Prepares the request, or gives the reason why nobody can make the service answer so. */
export type Provocation = ((input: ProvocationInput) => Promise<void> | void) | { impossible: string };

const internal = { impossible: "a fault of the service itself; covered by its operation tests" };
const overload = { impossible: "needs an overloaded or starting service; covered by its operation tests" };
const upstream = { impossible: "needs a marketplace that fails; covered by its operation tests" };

/** The same for every operation. */
const common: Record<string, Provocation> = {
  400: ({ request }) => addQuery(request, "noSuchParameter", "1"),
  401: ({ request }) => void delete request.headers.authorization,
  403: ({ request, target }) => {
    if (!target.narrow) throw new Skip("needs a token without the scope; a service of our own gives one");
    const isWebhook = request.path.includes("/webhooks");
    request.headers.authorization = `Bearer ${isWebhook ? target.narrow.search : target.narrow.webhooks}`;
  },
  406: ({ request }) => setHeader(request, "accept", "image/png"),
  413: ({ request }) => setBody(request, { query: "x".repeat(10 * 1024 * 1024) }),
  415: ({ request }) => setHeader(request, "content-type", "text/plain"),
  429: wearOut,
  500: internal,
  502: upstream,
  503: overload,
  504: upstream,
};

/** Where an operation needs something of its own. */
const special: Record<string, Record<string, Provocation>> = {
  vectorizeImage: { 200: ({ request }) => setBody(request, { base64String: smallPicture }) },
  detectObjects: { 200: ({ request }) => setBody(request, { base64String: smallPicture }) },
  searchByImage: {
    200: ({ request, ids }) => setQuery(request, "imageId", ids.imageSlug),
    404: ({ request }) => setQuery(request, "imageId", "no-such-image"),
  },
  searchBrands: {
    200: async ({ request, partner }) => setBody(request, { query: await anyBrand(partner) }),
    404: ({ request }) => setBody(request, { query: "zzqqxxjj" }),
  },
  createWebhook: {
    201: ({ request }) => setBody(request, { webhookUrl, webhookType: "price.alert" }),
    409: async ({ request, partner }) => {
      const key = crypto.randomUUID();
      await partner.removeWebhook(await partner.webhook({ "idempotency-key": key }));
      setHeader(request, "idempotency-key", key);
      setBody(request, { webhookUrl, webhookType: "stock.alert" });
    },
  },
  listWebhooks: { 200: () => undefined },
  deleteWebhook: {
    200: async ({ request, partner }) => setId(request, "webhooks", await partner.webhook()),
    404: ({ request }) => setId(request, "webhooks", "no-such-webhook"),
  },
  listDeliveries: {
    200: ({ request, ids }) => {
      setId(request, "webhooks", ids.webhook);
      dropQuery(request, "cursor");
    },
    404: ({ request }) => {
      setId(request, "webhooks", "no-such-webhook");
      dropQuery(request, "cursor");
    },
  },
  testWebhook: onWebhook("/test"),
  rotateWebhookKey: onWebhook("/rotate-key"),
  enableWebhook: {
    200: ({ request, ids }) => setId(request, "webhooks", ids.webhook),
    404: ({ request }) => setId(request, "webhooks", "no-such-webhook"),
  },
  replayDelivery: {
    200: ({ request, ids }) => {
      setId(request, "webhooks", ids.webhook);
      setId(request, "deliveries", ids.delivery);
    },
    404: ({ request, ids }) => {
      setId(request, "webhooks", ids.webhook);
      setId(request, "deliveries", "no-such-delivery");
    },
    409: async ({ request, partner, ids }) => {
      const key = crypto.randomUUID();
      await partner.send("POST", `/webhooks/${ids.webhook}/deliveries/${ids.delivery}/replay`, {
        headers: { "idempotency-key": key },
      });
      setHeader(request, "idempotency-key", key);
      setId(request, "webhooks", "another-webhook");
    },
  },
};

/** Raised by a provocation that this target cannot bear. */
export class Skip extends Error {}

export function findProvocation(operationId: string, status: string): Provocation | undefined {
  const isSuccess = status.startsWith("2");
  return special[operationId]?.[status] ?? common[status] ?? (isSuccess ? () => undefined : undefined);
}

/** Test and rotation: 404 for an unknown webhook, 409 for a key that was used with another one. */
function onWebhook(action: string): Record<string, Provocation> {
  return {
    200: ({ request, ids }) => setId(request, "webhooks", ids.webhook),
    404: ({ request }) => setId(request, "webhooks", "no-such-webhook"),
    409: async ({ request, partner, ids }) => {
      const key = crypto.randomUUID();
      await partner.send("POST", `/webhooks/${ids.webhook}${action}`, {
        headers: { "idempotency-key": key },
      });
      setHeader(request, "idempotency-key", key);
      setId(request, "webhooks", "another-webhook");
    },
  };
}

const mostRequests = 2000;

/** Spends a limit that nobody else needs until the service says so. */
async function wearOut({ request, target }: ProvocationInput): Promise<void> {
  if (!target.narrow)
    throw new Skip("would wear out a limit that others share; a service of our own has one to spare");
  const isTrial = request.path.includes("/search/trial");
  const headers: Record<string, string> = isTrial
    ? { "x-forwarded-for": "198.51.100.7" }
    : { authorization: `Bearer ${target.narrow.limited}` };
  const url = `${target.baseUrl}${isTrial ? "/search/trial" : "/search/marketplace-a"}`;
  for (let sent = 0; sent < mostRequests; sent += 20) {
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(url, { headers })).status),
    );
    if (statuses.includes(429)) {
      for (const [name, value] of Object.entries(headers)) setHeader(request, name, value);
      return;
    }
  }
  throw new Error(`${mostRequests} requests did not reach a limit`);
}

async function anyBrand(partner: Partner): Promise<string> {
  for (const query of ["a", "e", "o", "mug"]) {
    const { body } = await partner.send("POST", "/search/brands", { body: { query } });
    const [first] = Array.isArray(body.brands) ? body.brands : [];
    if (first) return String(first.name);
  }
  throw new Error("preparing: no brand was found to ask for");
}

function setHeader(request: OutgoingRequest, name: string, value: string): void {
  for (const known of Object.keys(request.headers)) {
    if (known.toLowerCase() === name) delete request.headers[known];
  }
  request.headers[name] = value;
}

function setBody(request: OutgoingRequest, body: unknown): void {
  request.body = JSON.stringify(body);
  setHeader(request, "content-type", "application/json");
}

function addQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path += `${request.path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

function setQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path = request.path.replace(new RegExp(`([?&]${name}=)[^&]*`), `$1${encodeURIComponent(value)}`);
}

/** For an example that only the service itself can make, such as a cursor. */
function dropQuery(request: OutgoingRequest, name: string): void {
  request.path = request.path.replace(new RegExp(`([?&])${name}=[^&]*&?`), "$1").replace(/[?&]$/, "");
}

/** Replaces the identifier that follows the collection in the path. */
function setId(request: OutgoingRequest, collection: string, id: string): void {
  request.path = request.path.replace(new RegExp(`(/${collection}/)[^/?]+`), `$1${encodeURIComponent(id)}`);
}

/** A red disc on white, 48 × 48, PNG: the smallest thing that is certainly a picture. */
export const smallPicture =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAcklEQVR42u3YwQ3AMAhDUY+T/afoVs0GDUoIwtVHDPBu2OhtNgIECBAgQFmgZ4zvrQMtKScsXdVsmHSVssFSjSZu8gSlaIImVWoiJjdQumZpAgQIECBA5iCOq2MeIsKato6Ovaxpc+3Y7XnHAAIE6NegCX9fvb+yPQEHAAAAAElFTkSuQmCC";
