import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEndpoint } from "@product-search/agents/agent-endpoint.ts";
import { agentAddresses, ucpProfiles } from "@product-search/agents/ucp-versions.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { type DocumentName, documentTypes } from "@product-search/http-rules/documents.ts";
import {
  createRequestIds,
  readToken,
  sentRequestId,
} from "@product-search/http-rules/requests/read-request.ts";
import { usualMaxBodyBytes } from "@product-search/spec/operations";
import { createEngine, type MockedDocument } from "./engine/create-engine.ts";
import {
  type Fault,
  type Preferences,
  parseJson,
  readPreferences,
  readText,
} from "./requests/read-preferences.ts";
import { anonymous, checkContent, createResponder, type Incoming } from "./requests/respond.ts";
import {
  createRateHeaders,
  errorResponse,
  isEventStream,
  type RateHeaders,
  type Response,
} from "./requests/response.ts";
import { readChange, toChangeState } from "./service/change-product.ts";
import type { Service } from "./service/create-service.ts";
import { createService, type ServiceData } from "./service/create-service.ts";
import { accountOf } from "./service/identifiers.ts";
import { defaultSettings, type ServiceSettings } from "./service/settings.ts";

const operation = {
  method: "POST",
  maxBodyBytes: usualMaxBodyBytes,
  produces: ["application/json", "text/event-stream"],
} as const;

const slowPieces = 10;

const slowPauseMs = 500;

const jsonHeaders = { "content-type": "application/json; charset=utf-8" };

const streamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

const changesPath = "/__mock/changes";

export interface MockOptions extends Partial<ServiceSettings> {
  /** An OpenAPI document as it is served. */
  readDocument: ReadDocument;
  /** Left out for a mock without state. */
  data?: ServiceData | undefined;
}

export type ReadDocument = (name: DocumentName) => Buffer;

export interface Mock {
  server: Server;
  /** Settles when the mock is ready, after its server has begun to listen. */
  started: Promise<void>;
  /** Ends what the mock does beside responding, and closes its state. */
  stop(): Promise<void>;
}

const commonHeaders = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "x-request-id, ratelimit, ratelimit-policy, retry-after, age, cache-status, x-answer-writer",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};
const preflightHeaders = {
  "access-control-allow-methods": "GET, POST, PUT, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, accept, prefer",
  "access-control-max-age": "3600",
};

interface Started {
  readDocument: ReadDocument;
  respond: Respond;
  respondToAgents(incoming: Incoming): Promise<Response | undefined>;
  service: Service | undefined;
}

type Respond = (incoming: Incoming, preferences: Preferences) => Promise<Response>;

/** A server, not yet listening. What it needs is made while the first requests wait, when its address is known. */
export function createMock(options: MockOptions): Mock {
  const server = createServer();
  const started = Promise.withResolvers<Started>();
  server.once("listening", () => started.resolve(start(server, options)));
  const newRequestId = createRequestIds();
  server.on("request", (request, response) => {
    const requestId = sentRequestId(request.headers) ?? newRequestId();
    void handle(started.promise, { request, response, requestId });
  });
  return {
    server,
    started: started.promise.then(() => {}),
    async stop() {
      if (!server.listening) return;
      const { service } = await started.promise;
      server.close();
      server.closeAllConnections();
      await service?.stop();
    },
  };
}

async function start(server: Server, { readDocument, data, ...given }: MockOptions) {
  const settings = { ...defaultSettings, ...given };
  // A copy of its own: Prism resolves the references in it.
  const document: MockedDocument = JSON.parse(readDocument("openapi.json").toString());
  const engine = await createEngine(document);
  const service = data && (await createService(originOf(server), settings, data));
  const rateHeaders = createRateHeaders(service?.clock ?? systemClock);
  const respond = createResponder({ engine, service, rateHeaders, examples: exampleNames(document) });
  const respondToAgents = createAgentResponder({ service, rateHeaders });
  // The first search need not wait for the index, either.
  setImmediate(() => service?.ready());
  return { readDocument, respond, respondToAgents, service };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
}

async function handle(starting: Promise<Started>, { request, response, requestId }: Exchange): Promise<void> {
  const url = request.url ?? "/";
  const leaving = new AbortController();
  response.once("close", () => leaving.abort());
  const headers = { ...commonHeaders, "x-request-id": requestId };
  try {
    if (request.method === "OPTIONS") {
      response.writeHead(204, { ...headers, ...preflightHeaders }).end();
      return;
    }
    const started = await starting;
    const { service } = started;
    service?.clock.step();
    // Not by `new URL`, which throws at some of what a client can send.
    const path = url.split("?", 1)[0] ?? "";
    const incoming = { request, url, path, requestId, signal: leaving.signal };
    const { received, preferences } = await respondPreferred(started, incoming);
    await sendResponse(
      response,
      { ...received, headers: { ...headers, ...received.headers } },
      preferences?.fault,
    );
  } catch (error) {
    if (response.headersSent) return void response.destroy();
    const failed = errorResponse(error, { url, operationId: undefined, requestId });
    if (failed.statusCode === 500) console.error(error);
    await sendResponse(response, { ...failed, headers: { ...headers, ...failed.headers } });
  }
}

async function respondPreferred(started: Started, incoming: Incoming) {
  const beside = await respondBeside(started, incoming);
  if (beside) return { received: beside };
  const preferences = readPreferences(preferOf(incoming.request));
  if (preferences.delayMs > 0) await delay(preferences.delayMs, undefined, { signal: incoming.signal });
  return { received: await started.respond(incoming, preferences), preferences };
}

function preferOf({ headers }: IncomingMessage): string | undefined {
  const { prefer } = headers;
  return Array.isArray(prefer) ? prefer.join(", ") : prefer;
}

/** Where clients reach the mock. */
export function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new ApiError("internal_error", "The mock listens on no port.");
  return `http://${hostOf(address)}:${address.port}`;
}

function hostOf({ address, family }: AddressInfo): string {
  if (address === "0.0.0.0" || address === "::") return "localhost";
  return family === "IPv6" ? `[${address}]` : address;
}

/** What the parameters and bodies of the document's examples name: identifiers, cursors, and the brand that is searched for. */
function exampleNames(document: object): ReadonlySet<unknown> {
  const names = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { in: place, name, example } = Object(node);
    if (place === "path" || name === "imageId" || name === "cursor") names.add(example);
    if (typeof Object(example).query === "string") names.add(Object(example).query);
    if (Array.isArray(Object(example).ids)) for (const id of Object(example).ids) names.add(id);
    for (const value of Object.values(node)) visit(value);
  };
  visit(document);
  return names;
}

/** What the mock serves outside the base path; undefined for all else. */
async function respondBeside(
  { service, readDocument, respondToAgents }: Started,
  incoming: Incoming,
): Promise<Response | undefined> {
  const { request, path } = incoming;
  if (path === changesPath) {
    if (request.method !== "POST")
      throw new ApiError(
        "method_not_allowed",
        `${request.method} is not supported for this path. Use POST.`,
        {
          headers: { allow: "POST" },
        },
      );
    return respondToChange(service, parseJson(await readText(request, usualMaxBodyBytes)));
  }
  if (path === "/healthz") return { statusCode: 200, headers: {}, body: { status: "ok" } };
  const name = path.slice(1);
  if (isDocument(name))
    return { statusCode: 200, headers: { "content-type": documentTypes[name] }, body: readDocument(name) };
  const image = service?.readImage(path);
  if (image) return { statusCode: 200, headers: { "content-type": "image/jpeg" }, body: image };
  return respondToAgents(incoming);
}

function isDocument(name: string): name is DocumentName {
  return Object.hasOwn(documentTypes, name);
}

async function respondToChange(service: Service | undefined, body: unknown): Promise<Response> {
  if (service === undefined)
    throw new ApiError(
      "not_found",
      "A mock without state has no products to change. Start it without --stateless.",
    );
  const { previous, current } = await service.change(readChange(body));
  const data = { productId: current.id, previous: toChangeState(previous), current: toChangeState(current) };
  return { statusCode: 200, headers: {}, body: { success: true, message: "Product changed", data } };
}

/** Sends a response, or what a broken network would make of it. */
async function sendResponse(
  response: ServerResponse,
  { statusCode, headers, body }: Response,
  fault?: Fault,
): Promise<void> {
  if (fault === "timeout") return;
  if (fault === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  response.writeHead(statusCode, { ...(isEventStream(body) ? streamHeaders : jsonHeaders), ...headers });
  if (isEventStream(body)) return sendEvents(response, body);
  const content = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
  // Half of it, as if whoever wrote it had stopped: the length fits, the JSON does not.
  if (fault === "malformed") response.end(content.slice(0, Math.floor(content.length / 2)));
  else if (fault === "slow") await sendSlowly(response, Buffer.from(content));
  else response.end(content);
}

async function sendEvents(
  response: ServerResponse,
  events: AsyncIterable<{ event: string; data: unknown }>,
): Promise<void> {
  for await (const { event, data } of events)
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  response.end();
}

async function sendSlowly(response: ServerResponse, content: Buffer): Promise<void> {
  const size = Math.max(1, Math.ceil(content.length / slowPieces));
  for (let start = 0; start < content.length && !response.destroyed; start += size) {
    response.write(content.subarray(start, start + size));
    await delay(slowPauseMs);
  }
  response.end();
}

interface AgentResponderDeps {
  service: Service | undefined;
  rateHeaders: RateHeaders;
}

/** The tools for assistants, and the profile by which they are found; undefined for any other path. */
function createAgentResponder({
  service,
  rateHeaders,
}: AgentResponderDeps): (incoming: Incoming) => Promise<Response | undefined> {
  let endpoint: Promise<AgentEndpoint> | undefined;
  return async ({ request, path, requestId, signal }) => {
    const profile = service && ucpProfiles(service.publicUrl).get(path);
    if (profile !== undefined) return { statusCode: 200, headers: {}, body: profile };
    const address = agentAddresses.get(path);
    if (address === undefined) return undefined;
    if (request.method !== operation.method)
      throw new ApiError("method_not_allowed", "There are no sessions and no streams here. Use POST.", {
        headers: { allow: operation.method },
      });
    if (service === undefined)
      throw new ApiError(
        "not_found",
        "A mock without state has no tools for assistants. Start it without --stateless.",
      );
    const { authorization } = request.headers;
    const account = authorization === undefined ? anonymous : accountOf(readToken(authorization));
    checkContent(operation, request.headers);
    const message = parseJson(await readText(request, operation.maxBodyBytes));
    endpoint ??= loadEndpoint(service);
    const { respond } = await endpoint;
    await service.ready();
    const caller = account.id || (request.socket.remoteAddress ?? "");
    const { status, contentType, body } = await respond({
      address,
      headers: request.headers,
      message,
      account,
      caller,
      isPublic: false,
      requestId,
      signal,
    });
    const counted = rateHeaders(account === anonymous ? "trial" : "token", caller);
    return { statusCode: status, headers: { ...counted, "content-type": contentType }, body };
  };
}

/** On the first message: most mocks never load the protocol's code. */
async function loadEndpoint(service: Service): Promise<AgentEndpoint> {
  const { createAgentEndpoint } = await import("@product-search/agents/agent-endpoint.ts");
  return createAgentEndpoint({ ...service, onError: (error) => console.error(error) });
}
