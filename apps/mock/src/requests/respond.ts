import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Account } from "@product-search/core/ports/account-store.ts";
import { readToken } from "@product-search/http-rules/access/bearer-token.ts";
import { toApiError } from "@product-search/http-rules/responses/error-body.ts";
import type { Engine, EngineRequest } from "../engine/create-engine.ts";
import { callService } from "../service/call-service.ts";
import type { Service } from "../service/create-service.ts";
import { accountOf } from "../service/identifiers.ts";
import { checkContent } from "./check-content.ts";
import { errorResponse } from "./error-response.ts";
import { findRoute, type Route } from "./find-route.ts";
import type { RateHeaders } from "./rate-headers.ts";
import { parseJson, readText } from "./read-body.ts";
import { createReadInput, type Input, type ReadInput, readQuery } from "./read-input.ts";
import { choosesResponse, type Preferences } from "./read-preferences.ts";
import type { Response } from "./response.ts";

export interface ResponderDeps {
  engine: Engine;
  /** Undefined for a mock without state: Prism responds then. */
  service: Service | undefined;
  rateHeaders: RateHeaders;
  /** The identifiers and names of the document's examples, which exist in no state. */
  examples: ReadonlySet<unknown>;
}

/** A request to the interface, and what the server knows of it. */
export interface Incoming {
  request: IncomingMessage;
  url: string;
  path: string;
  requestId: string;
  signal: AbortSignal;
}

interface Admitted {
  route: Route;
  account: Account;
}

const anonymous: Account = { id: "", name: "" };

/**
 * Prism validates the request and gives documented responses; the service's features respond from the state. Checks come in the
 * order of the service.
 */
export function createResponder(
  deps: ResponderDeps,
): (incoming: Incoming, preferences: Preferences) => Promise<Response> {
  const readInput = createReadInput();
  return async (incoming, preferences) => {
    const { request, path, url, requestId } = incoming;
    const address = request.socket.remoteAddress ?? "";
    let counted: Record<string, string> | undefined;
    let operationId: string | undefined;
    try {
      const route = findRoute(request.method ?? "GET", path);
      operationId = route.operation.operationId;
      const account = admit(route, request);
      counted =
        account === anonymous ? deps.rateHeaders("trial", address) : deps.rateHeaders("token", account.id);
      const response = await respond({ ...deps, readInput }, incoming, { route, account }, preferences);
      return { ...response, headers: { ...counted, ...response.headers } };
    } catch (error) {
      // Requests without a token count for their address, as in the service.
      counted ??= deps.rateHeaders("trial", address);
      const refused = errorResponse(error, { url, operationId, requestId });
      return { ...refused, headers: { ...counted, ...refused.headers } };
    }
  };
}

/** Any bearer token is accepted, and each is an account of its own. */
function admit({ operation }: Route, { headers }: IncomingMessage): Account {
  return operation.scope === undefined ? anonymous : accountOf(readToken(headers.authorization));
}

async function respond(
  { engine, service, readInput, examples }: ResponderDeps & { readInput: ReadInput },
  { request, url, path, requestId, signal }: Incoming,
  { route, account }: Admitted,
  preferences: Preferences,
): Promise<Response> {
  const { operation } = route;
  const { headers } = request;
  const accepts = checkContent(operation, headers);
  const hasBody = operation.method !== "GET";
  const body = hasBody ? (parseJson(await readText(request)) ?? undefined) : undefined;
  const asked: EngineRequest = {
    operation,
    path,
    query: readQuery(url),
    headers: body === undefined ? withoutBody(headers) : headers,
    body,
  };
  const refusal = await refusalOf(engine, asked);
  // In the service's words where it refuses as well: it also sees what Prism cannot.
  const input = readInput(operation, { url, path: route.path, headers, body });
  if (refusal !== undefined) throw refusal;
  if (service === undefined) return engine.chooseStateless(asked, preferences);
  if (choosesResponse(preferences)) return engine.choose(asked, preferences);
  const key = headers["idempotency-key"];
  await service.ready();
  const called = callService(service, {
    operation,
    input,
    url,
    account,
    idempotencyKey: Array.isArray(key) ? key.join(", ") : key,
    requestId,
    accepts,
    signal,
  });
  return called.catch((error: unknown) => {
    // A collection of requests that was made from the document names these: whoever clicks it is shown the examples.
    if (namesExample(toApiError(error).status, input, examples)) return engine.choose(asked, preferences);
    throw error;
  });
}

async function refusalOf(engine: Engine, request: EngineRequest): Promise<unknown> {
  try {
    await engine.validate(request);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The service reads no body of a GET, and takes `null` for none. Prism would judge one by its headers. */
function withoutBody({ "content-type": _, "content-length": __, ...headers }: IncomingHttpHeaders) {
  return headers;
}

/** Whether a request fails because of a name of the document's examples: nothing has it, or no page begins there. */
function namesExample(status: number, { path, query, body }: Input, examples: ReadonlySet<unknown>): boolean {
  if (status === 400) return examples.has(query.cursor);
  const names = [...Object.values(path), query.imageId, Object(body).query];
  return status === 404 && names.some((name) => examples.has(name));
}
