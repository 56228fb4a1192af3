import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createTestService } from "@product-search/api/testing/test-service.ts";
import { currency, productCount } from "@product-search/mock/src/service/settings.ts";
import { startMock } from "@product-search/mock/test/start-mock.ts";
import { sampleProductInputs } from "@product-search/sample-catalog/sample-products.ts";
import { operations } from "@product-search/spec/operations";
import { testSeed } from "@product-search/testing/seed.ts";
import { afterAll, expect, it, vi } from "vitest";
import {
  type GeneratedRequest,
  generateRequests,
  isReference,
  type Reference,
} from "./mock-differential/generate-requests.ts";

/** Of the connection or the moment, not of the response. */
const ignoredHeaders = ["connection", "keep-alive", "date", "content-length", "transfer-encoding"];
/** Must be there, with a value of its own. */
const variableHeaders = ["x-request-id", "ratelimit", "ratelimit-policy", "access-control-expose-headers"];

/** The mock looks at no image, so these find other products, which have other optional fields and agree on other categories. */
const byImage = ["searchByImage", "similarProducts", "relatedProducts"];
const optional =
  /^body\.(?:categories|closest:|(?:Products|closest)\[\]\.(?:brand|averageRating|serviceScore|reviewCount|originalPrice|gtin|mpn|groupId|attributes[^:]*):)/;

/** Every way in which two answers differ in status, headers or the shape of the body; empty when they do not. */
function compareAnswers(one: Answer, other: Answer, operationId: string): string[] {
  const differences = [
    ...(one.status === other.status ? [] : [`status ${one.status} and ${other.status}`]),
    ...compareHeaders(one.headers, other.headers),
  ];
  if (differences.length > 0) return differences;
  const shapes = compareShapes(one.body, other.body, "body");
  return byImage.includes(operationId) ? shapes.filter((shape) => !optional.test(shape)) : shapes;
}

function compareHeaders(one: Record<string, string>, other: Record<string, string>): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names]
    .filter((name) => !ignoredHeaders.includes(name))
    .filter((name) => shownHeader(one, name) !== shownHeader(other, name))
    .map((name) => `header ${name}: ${one[name]} and ${other[name]}`);
}

function shownHeader(headers: Record<string, string>, name: string): string | undefined {
  return variableHeaders.includes(name) && name in headers ? "present" : headers[name];
}

/** Which fields are always there, and of which type each value is. Codes and messages count as they are. */
function compareShapes(one: unknown, other: unknown, path: string): string[] {
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length === 0 || other.length === 0) return [];
    return compareShapes(commonFields(one), commonFields(other), `${path}[]`);
  }
  if (isRecord(one) && isRecord(other)) {
    const names = new Set([...Object.keys(one), ...Object.keys(other)]);
    return [...names].flatMap((name) => compareShapes(one[name], other[name], `${path}.${name}`));
  }
  if (/\.code$/.test(path) && one !== other) return [`${path}: ${one} and ${other}`];
  return typeOf(one) === typeOf(other) ? [] : [`${path}: ${typeOf(one)} and ${typeOf(other)}`];
}

/** The fields that every item has, with the values of the first. */
function commonFields(items: readonly unknown[]): unknown {
  const [first] = items;
  if (!isRecord(first)) return first;
  const fields = Object.entries(first).filter(([name]) =>
    items.every((item) => isRecord(item) && name in item),
  );
  return Object.fromEntries(fields);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

// The service describes the images of its catalog first.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const requestCount = 1000;
const seed = testSeed("the requests to both", 1);

/** Takes deliveries and never responds: on both sides they stay pending. */
async function startSilentTarget(): Promise<string> {
  const server = createServer(() => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** No random text is the identifier of a rule that exists, or a rule of synonyms. */
const needsRule = [
  "replaceRule",
  "deleteRule",
  "orderRules",
  "listRuleHistory",
  "addSynonym",
  "deleteSynonym",
];

const nothingSeen = (): Side["seen"] => ({ webhook: [], delivery: [], product: [], image: [] });

async function startService(target: string): Promise<Side> {
  const service = await createTestService({
    environment: {
      ANALYTICS_DAYS: "30",
      CORS_ORIGINS: "*",
      TRIAL_RATE_LIMIT: "100000/60",
      WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    },
  });
  afterAll(service.close);
  // Both catalogs date their prices back from the same day.
  service.clock.nowMs = Date.now();
  const inputs = sampleProductInputs(productCount, { currency, nowMs: service.clock.now() });
  await service.stores.catalogStore.apply([...inputs]);
  await service.indexed();
  await service.imaged();
  const origin = await service.app.listen({ port: 0, host: "127.0.0.1" });
  const tokens = {
    "Bearer first": `Bearer ${await service.token({ account: "first" })}`,
    "Bearer second": `Bearer ${await service.token({ account: "second" })}`,
  };
  return { baseUrl: `${origin}/api/v1`, tokens, target, seen: nothingSeen() };
}

it(`the mock and the service answer ${requestCount} requests alike`, async () => {
  const target = await startSilentTarget();
  const service = await startService(target);
  const { baseUrl } = await startMock();
  const mock: Side = { baseUrl, tokens: {}, target, seen: nothingSeen() };
  const differences: string[] = [];
  const statuses = new Set<string>();
  for (const [number, request] of generateRequests(requestCount, seed).entries()) {
    const [one, other] = await Promise.all([sendRequest(service, request), sendRequest(mock, request)]);
    statuses.add(`${request.operationId} ${one.status}`);
    const found = compareAnswers(one, other, request.operationId);
    if (found.length > 0)
      differences.push(
        [
          `request ${number}: ${JSON.stringify(request)}`,
          ...found,
          JSON.stringify(one.body),
          JSON.stringify(other.body),
        ]
          .map((line) => line.slice(0, 600))
          .join("\n  "),
      );
  }
  expect(differences, differences.join("\n\n")).toEqual([]);
  // Requests that were all refused would be alike, too.
  expect(statuses.size, [...statuses].sort().join("\n")).toBeGreaterThan(80);
  const succeeded = [...statuses].filter((status) => / 2\d\d$/.test(status));
  const expected = Object.keys(operations).filter((id) => !needsRule.includes(id));
  expect(succeeded.length, succeeded.join("\n")).toBeGreaterThan(expected.length - 3);
});

interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Parsed where it is JSON. */
  body: unknown;
}

/** One of the two that are compared, with the identifiers that it has given out so far. */
interface Side {
  baseUrl: string;
  /** Its token for each of the two accounts. */
  tokens: Record<string, string>;
  /** Where its webhooks are delivered to. */
  target: string;
  seen: Record<Reference["kind"], string[]>;
}

async function sendRequest(side: Side, generated: GeneratedRequest): Promise<Answer> {
  const { method, path, query, headers } = generated;
  const steps = path.map((step) => encodeURIComponent(resolve(side, step)));
  const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(resolve(side, value))}`);
  const url = `${side.baseUrl}/${steps.join("/")}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
  const content = bodyText(side, generated.body);
  const sent: Record<string, string> = {
    ...(content !== undefined && { "content-type": "application/json" }),
    ...headers,
    ...(content !== undefined && { "content-length": `${Buffer.byteLength(content)}` }),
  };
  if (sent.authorization !== undefined)
    sent.authorization = side.tokens[sent.authorization] ?? sent.authorization;
  const answer = await exchange(url, method, sent, content);
  remember(side, generated.operationId, answer.body);
  return answer;
}

/** With `node:http`: `fetch` changes what is sent. */
async function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  content: string | undefined,
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((settle, reject) => {
    httpRequest(url, { method, headers }, settle).once("error", reject).end(content);
  });
  const received = await text(response);
  const fields = Object.entries(response.headers).map(([name, value]) => [name, `${value}`]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(fields), body: parse(received) };
}

function bodyText(side: Side, body: unknown): string | undefined {
  if (body === undefined || typeof body === "string") return body;
  const replaced = JSON.stringify(body, (_, value) => (isReference(value) ? resolve(side, value) : value));
  return replaced.replaceAll("TARGET", side.target);
}

function resolve({ seen }: Side, value: string | Reference): string {
  if (typeof value === "string") return value;
  const known = seen[value.kind];
  return known[value.index % Math.max(1, known.length)] ?? "none-yet";
}

function parse(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return received;
  }
}

function remember({ seen }: Side, operationId: string, body: unknown): void {
  const { data, slug, Products } = Object(body);
  const note = (kind: Reference["kind"], id: unknown) => {
    if (typeof id === "string" && !seen[kind].includes(id)) seen[kind].push(id);
  };
  if (operationId === "createWebhook") note("webhook", Object(data).id);
  if (operationId === "testWebhook" || operationId === "replayDelivery") note("delivery", Object(data).id);
  if (operationId === "vectorizeImage") note("image", slug);
  if (operationId === "searchTrial" || operationId === "searchCatalog")
    for (const product of Array.isArray(Products) ? Products : []) note("product", Object(product)._id);
}
