import { setTimeout } from "node:timers/promises";
import {
  addQuery,
  dropQuery,
  type Operation,
  Skip,
  setBody,
  setHeader,
  setPathParameters,
  setQuery,
  type TriggerInput,
} from "./operations.ts";
import type { Partner } from "./partner.ts";

/** More than the limits that services have by default, and an end where there is none. */
const maxRequests = 5000;
const atOnce = 20;
/** Of an address that nobody else uses: reserved for documentation. */
const otherAddress = "198.51.100.7";

/** Uses up a limit until the service says so. The tests of 429 come last, because others would fail by it. */
async function exceedRateLimit({ request, operation, target }: TriggerInput): Promise<void> {
  if (!target.load) throw new Skip("would use up the rate limits; --allow-load permits it");
  const { token, trustsForwardedFor } = target.load;
  const isByAddress = operation.scope === undefined;
  const headers: Record<string, string> = isByAddress
    ? trustsForwardedFor
      ? { "x-forwarded-for": otherAddress }
      : {}
    : { authorization: `Bearer ${token}` };
  // Without its parameter, so that it costs the service as little as can be.
  const url = `${target.baseUrl}${isByAddress ? "/search/trial" : "/search/marketplace-a"}`;
  /** The seconds until the limit is over, or 0 if it is not reached. */
  const ask = async () => {
    const response = await fetch(url, { headers });
    return response.status === 429 ? Number(response.headers.get("retry-after") ?? 60) : 0;
  };
  const reach = async () => {
    let seconds = await ask();
    for (let sent = 0; sent < maxRequests && seconds === 0; sent += atOnce)
      seconds = Math.max(...(await Promise.all(Array.from({ length: atOnce }, ask))));
    return seconds;
  };
  let seconds = await reach();
  // So near its end, the limit could be over before the request is sent.
  if (seconds > 0 && seconds < 3) {
    await setTimeout(seconds * 1000);
    seconds = await reach();
  }
  if (seconds === 0)
    throw new Skip(`${maxRequests} requests reached no rate limit: the service has none, or a higher one`);
  for (const [name, value] of Object.entries(headers)) setHeader(request, name, value);
}

/** Prepares the request, or returns the reason why the status cannot be provoked. */
export type StatusTrigger = ((input: TriggerInput) => Promise<void> | void) | { impossible: string };

const internal = { impossible: "a fault of the service itself; covered by its operation tests" };
const overload = { impossible: "needs an overloaded or starting service; covered by its operation tests" };
const upstream = { impossible: "needs a marketplace that fails; covered by its operation tests" };

/** The same for every operation. */
const common: Record<string, StatusTrigger> = {
  400: ({ request }) => addQuery(request, "noSuchParameter", "1"),
  401: ({ request }) => void delete request.headers.authorization,
  403: ({ request, operation, target }) => {
    const { scope = "search" } = operation;
    const token = target.tokensWithout?.[scope];
    if (token === undefined) throw new Skip(`needs --narrow-token with a token without the scope ${scope}`);
    request.headers.authorization = `Bearer ${token}`;
  },
  404: (input) => identify(input, "no-such-thing"),
  406: ({ request }) => setHeader(request, "accept", "image/png"),
  409: reuseKey,
  413: ({ request }) => setBody(request, { query: "x".repeat(10 * 1024 * 1024) }),
  415: ({ request }) => setHeader(request, "content-type", "text/plain"),
  429: exceedRateLimit,
  500: internal,
  502: upstream,
  503: overload,
  504: upstream,
};

/** For operations that need a different trigger. */
const perOperation: Record<string, Record<string, StatusTrigger>> = {
  vectorizeImage: { 200: ({ request }) => setBody(request, { base64String: smallImage }) },
  detectObjects: { 200: ({ request }) => setBody(request, { base64String: smallImage }) },
  searchBrands: {
    200: async ({ request, partner }) => setBody(request, { query: await anyBrand(partner) }),
    404: ({ request }) => setBody(request, { query: "zzqqxxjj" }),
  },
  searchCatalogBatch: {
    413: ({ request }) => setBody(request, { searches: [{ q: "x".repeat(300 * 1024) }] }),
  },
  createWebhook: {
    201: ({ request, partner: { webhookUrl } }) =>
      setBody(request, { webhookUrl, webhookType: "price.alert" }),
    409: async ({ request, partner }) => {
      const key = crypto.randomUUID();
      await partner.removeWebhook(await partner.webhook({ "idempotency-key": key }));
      setHeader(request, "idempotency-key", key);
      setBody(request, { webhookUrl: partner.webhookUrl, webhookType: "stock.alert" });
    },
  },
  upsertProducts: {
    // Only a deletion of what does not exist: the run leaves the catalog as it is.
    200: ({ request }) => setBody(request, { products: [{ _id: crypto.randomUUID(), deleted: true }] }),
    409: async ({ request, partner }) => {
      const key = crypto.randomUUID();
      const body = { products: [{ _id: crypto.randomUUID(), deleted: true }] };
      await partner.send("POST", "/products", { headers: { "idempotency-key": key }, body });
      setHeader(request, "idempotency-key", key);
      setBody(request, { products: [{ _id: crypto.randomUUID(), deleted: true }] });
    },
  },
  deleteProduct: {
    200: async ({ request, operation, partner }) =>
      setPathParameters(request, operation.path, { product_id: await partner.unusedProduct() }),
  },
  createRule: {
    201: ({ request, partner }) => {
      partner.removeRulesLater();
      setBody(request, partner.unusedRule);
    },
    409: { impossible: "needs as many rules as are allowed; covered by its operation tests" },
  },
  replaceRule: {
    200: async ({ request, operation, partner }) => {
      const { id, updatedAt } = await partner.rule();
      setPathParameters(request, operation.path, { rule_id: id });
      setBody(request, { ...partner.unusedRule, updatedAt });
    },
    404: ({ request, operation, partner }) => {
      setPathParameters(request, operation.path, { rule_id: "no-such-thing" });
      setBody(request, { ...partner.unusedRule, updatedAt: "2020-01-01T00:00:00Z" });
    },
    409: async ({ request, operation, partner }) => {
      const { id } = await partner.rule();
      setPathParameters(request, operation.path, { rule_id: id });
      setBody(request, { ...partner.unusedRule, updatedAt: "2020-01-01T00:00:00Z" });
    },
  },
  deleteRule: {
    200: async ({ request, operation, partner }) =>
      setPathParameters(request, operation.path, { rule_id: (await partner.rule()).id }),
    404: ({ request, operation }) => setPathParameters(request, operation.path, { rule_id: "no-such-thing" }),
  },
  orderRules: {
    200: async ({ request, partner }) => setBody(request, { ids: await partner.ruleIds() }),
    404: ({ request }) => setBody(request, { ids: ["no-such-thing"] }),
  },
  previewRule: {
    200: ({ request, partner }) => setBody(request, { rule: partner.unusedRule, q: "mug" }),
    409: ({ request, partner }) => {
      const productIds = Array.from({ length: 200 }, (_, i) => `p_${i}`);
      const boost = Array.from({ length: 11 }, () => ({ productIds, factor: 2 }));
      setBody(request, { rule: { ...partner.unusedRule, boost }, q: "mug" });
    },
    404: ({ request, partner }) =>
      setBody(request, { rule: partner.unusedRule, ruleId: "no-such-thing", q: "mug" }),
  },
  listRuleHistory: {
    200: async ({ request, operation, partner }) =>
      setPathParameters(request, operation.path, { rule_id: (await partner.rule()).id }),
    404: ({ request, operation }) => setPathParameters(request, operation.path, { rule_id: "no-such-thing" }),
  },
  addSynonym: {
    200: async ({ request, partner }) => {
      const { rule, undo } = partner.unusedSynonym();
      undo();
      setBody(request, { rule });
    },
    409: { impossible: "needs as many rules as are allowed; covered by its operation tests" },
  },
  deleteSynonym: {
    200: async ({ request, partner }) => setQuery(request, "rule", await partner.synonym()),
    404: ({ request }) => setQuery(request, "rule", "no such thing, no such other"),
  },
  deleteWebhook: {
    200: async ({ request, operation, partner }) =>
      setPathParameters(request, operation.path, { webhook_id: await partner.webhook() }),
  },
};

export function findTrigger(operationId: string, status: string): StatusTrigger | undefined {
  const isSuccess = status.startsWith("2");
  return (
    perOperation[operationId]?.[status] ??
    common[status] ??
    (isSuccess ? (input) => identify(input) : undefined)
  );
}

/** Replaces the example identifiers by existing ones, and the last one by `last`. */
function identify({ request, operation, ids }: TriggerInput, last?: string): void {
  const names = identifiersOf(operation, ids);
  const values = { ...ids };
  const lastName = names.at(-1);
  if (last !== undefined) {
    if (lastName === undefined) throw new Skip("takes no identifier; covered by its operation tests");
    values[lastName] = last;
  }
  const unknown = names.find((name) => values[name] === undefined);
  if (unknown !== undefined) throw new Skip(`nothing is known to exist that ${unknown} could name`);
  setPathParameters(request, operation.path, values);
  for (const name of names) setQuery(request, name, values[name] ?? "");
  dropQuery(request, "cursor");
}

/** The parameters that take an identifier, in the order of the path. */
function identifiersOf({ parameters }: Operation, ids: TriggerInput["ids"]): string[] {
  return parameters.filter((one) => one.in === "path" || one.name in ids).map(({ name }) => name);
}

/** 409: the same `Idempotency-Key` for a request about another thing. */
async function reuseKey(input: TriggerInput): Promise<void> {
  const { request, operation, partner, ids } = input;
  const [first] = identifiersOf(operation, ids);
  if (first === undefined) throw new Skip("takes no identifier; covered by its operation tests");
  const key = crypto.randomUUID();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(ids[name] ?? ""));
  await partner.send(operation.method, path, {
    headers: { "idempotency-key": key },
    ...(request.body !== "" && { body: JSON.parse(request.body) }),
  });
  setHeader(request, "idempotency-key", key);
  setPathParameters(request, operation.path, { ...ids, [first]: "another-thing" });
}

async function anyBrand(partner: Partner): Promise<string> {
  for (const query of ["a", "e", "o", "mug"]) {
    const { body } = await partner.send("POST", "/search/brands", { body: { query } });
    const [first] = Array.isArray(body.brands) ? body.brands : [];
    if (first) return String(first.name);
  }
  throw new Error("preparing: no brand was found to ask for");
}

/** A red disc on white, 48 × 48, PNG: a small image that every detector accepts. */
export const smallImage =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAcklEQVR42u3YwQ3AMAhDUY+T/afoVs0GDUoIwtVHDPBu2OhtNgIECBAgQFmgZ4zvrQMtKScsXdVsmHSVssFSjSZu8gSlaIImVWoiJjdQumZpAgQIECBA5iCOq2MeIsKato6Ovaxpc+3Y7XnHAAIE6NegCX9fvb+yPQEHAAAAAElFTkSuQmCC";
