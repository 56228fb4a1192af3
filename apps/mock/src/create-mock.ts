import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError } from "@product-search/core/errors.ts";
import { systemClock } from "@product-search/core/ports/clock.ts";
import { createRequestIds, sentRequestId } from "@product-search/http-rules/requests/request-ids.ts";
import { createEngine, type MockedDocument } from "./engine/create-engine.ts";
import { exampleNames } from "./engine/example-names.ts";
import { errorResponse } from "./requests/error-response.ts";
import { createRateHeaders } from "./requests/rate-headers.ts";
import { type Preferences, readPreferences } from "./requests/read-preferences.ts";
import { createResponder, type Incoming } from "./requests/respond.ts";
import { respondBeside } from "./requests/respond-beside.ts";
import type { Response } from "./requests/response.ts";
import { sendResponse } from "./requests/send-response.ts";
import { createService, type Service, type ServiceData } from "./service/create-service.ts";
import { defaultSettings, type ServiceSettings } from "./service/settings.ts";

export interface MockOptions extends Partial<ServiceSettings> {
  document: MockedDocument;
  /** Left out for a mock without state. */
  data?: ServiceData | undefined;
}

export interface Mock {
  server: Server;
  /** Settles when the mock is ready, after its server has begun to listen. */
  started: Promise<void>;
  /** Ends what the mock does beside responding, and keeps its state. */
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
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, accept, prefer",
  "access-control-max-age": "3600",
};

interface Started {
  document: MockedDocument;
  respond: Respond;
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

async function start(server: Server, { document, data, ...given }: MockOptions) {
  const settings = { ...defaultSettings, ...given };
  const engine = await createEngine(document);
  const service = data && (await createService(originOf(server), settings, data));
  const rateHeaders = createRateHeaders(service?.clock ?? systemClock);
  const respond = createResponder({ engine, service, rateHeaders, examples: exampleNames(document) });
  // The first search need not wait for the index, either.
  setImmediate(() => service?.ready());
  return { document, respond, service };
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
    if (request.method !== "GET") service?.touch();
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
