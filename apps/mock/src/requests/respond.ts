import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { parse } from "node:querystring";
import { ApiError } from "@product-search/core/errors.ts";
import type { Account } from "@product-search/core/ports/accounts.ts";
import type { RequestContext } from "@product-search/features/handler.ts";
import { repeatedResponse } from "@product-search/features/webhooks/manage-webhooks.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import { respondOnce, type TransactAs } from "@product-search/http-rules/idempotency.ts";
import {
  createInputReader,
  createSearchReader,
  createValidatorCompiler,
  negotiate,
  readToken,
  type Validator,
  validationMessage,
} from "@product-search/http-rules/requests/read-request.ts";
import {
  bodyTooLarge,
  createResponseSerializer,
  encodedBody,
  toApiError,
  wrongMediaType,
} from "@product-search/http-rules/responses/response-body.ts";
import { type Operation, operations, type Schema } from "@product-search/spec/operations";
import type { Engine, EngineRequest } from "../engine/create-engine.ts";
import type { Service } from "../service/create-service.ts";
import { accountOf } from "../service/identifiers.ts";
import { choosesResponse, type Preferences, parseJson, readText } from "./read-preferences.ts";
import { errorResponse, isEventStream, type RateHeaders, type Response, usedUp } from "./response.ts";

const actorAddress = "127.0.0.1";

const serialisers = new Map<Operation, (body: unknown) => string>();

/** Longer ones are no identifiers: as the service, which does not look at them. */
const maxParameterLength = 2000;

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

const readSearch: RequestContext["readSearch"] = createSearchReader(createValidatorCompiler());

export const anonymous: Account = { id: "", name: "" };

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
      const retryAfter = response.headers["retry-after"];
      if (response.statusCode === 429 && retryAfter !== undefined) counted = usedUp(counted, retryAfter);
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
  const body = hasBody
    ? (parseJson(await readText(request, operation.maxBodyBytes), operation.operationId) ?? undefined)
    : undefined;
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
  if (account !== anonymous) service.addAccount(account);
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
  const { query: text, ids = [] } = Object(body);
  const names = [...Object.values(path), query.imageId, text, ...(Array.isArray(ids) ? ids : [])];
  return status === 404 && names.some((name) => examples.has(name));
}

/** What is refused whatever the body holds, in the service's order: size, media type, accept. Gives the type to respond with. */
export function checkContent(
  { method, maxBodyBytes, produces }: Pick<Operation, "method" | "maxBodyBytes" | "produces">,
  headers: IncomingHttpHeaders,
): string {
  const length = headers["content-length"];
  if (length !== undefined && Number(length) > maxBodyBytes) throw bodyTooLarge(maxBodyBytes);
  if (method !== "GET") checkMediaType(headers);
  const accepts = negotiate(headers.accept, produces);
  if (accepts !== undefined) return accepts;
  throw new ApiError(
    "not_acceptable",
    `Accept: ${produces.join(" or ")} is what this operation responds with.`,
  );
}

function checkMediaType(headers: IncomingHttpHeaders): void {
  const length = headers["content-length"];
  const type = headers["content-type"];
  const encoding = headers["content-encoding"];
  const isEmpty = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") throw encodedBody();
  if (type === undefined ? !isEmpty : !/^application\/json *(;|$)/i.test(type)) throw wrongMediaType(type);
}

interface Route {
  operation: Operation;
  path: Record<string, string>;
}

/** The operation of a method and path; throws the service's 404 or 405. */
function findRoute(method: string, path: string): Route {
  const matches = Object.values<Operation>(operations).flatMap((operation) => {
    const parameters = matchPath(operation.path, path);
    return parameters ? [{ operation, path: parameters }] : [];
  });
  // A fixed path comes before one with parameters.
  const paths = matches
    .map((match) => match.operation.path)
    .toSorted((one, other) => weight(one) - weight(other));
  const candidates = matches.filter((match) => match.operation.path === paths[0]);
  if (candidates.length === 0)
    throw new ApiError("not_found", `${path} does not exist. See /openapi.json for the paths.`);
  const found = candidates.find((match) => match.operation.method === method);
  if (found) return found;
  // As in the service, a path without its identifier is no other method's path.
  if (candidates.some((match) => Object.values(match.path).includes("")))
    throw new ApiError("not_found", `${path} does not exist. See /openapi.json for the paths.`);
  const allow = candidates.map((match): string => match.operation.method);
  throw new ApiError(
    "method_not_allowed",
    `${method} is not supported for this path. Use ${allow.join(" or ")}.`,
    {
      headers: { allow: allow.join(", ") },
    },
  );
}

function weight(template: string): number {
  return template.split("{").length;
}

function matchPath(template: string, path: string): Record<string, string> | undefined {
  const wanted = `${basePath}${template}`.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, step] of wanted.entries()) {
    const part = parts[index] ?? "";
    const name = /^\{(\w+)\}$/.exec(step)?.[1];
    if (name === undefined) {
      if (part !== step) return undefined;
      continue;
    }
    if (part.length > maxParameterLength) return undefined;
    parameters[name] = decode(part);
  }
  return parameters;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw new ApiError("not_found", "The path does not exist. See /openapi.json for the paths.", { cause });
  }
}

interface ServiceCall {
  operation: Operation;
  input: Input;
  /** The path with its query, as it was sent. */
  url: string;
  account: Account;
  idempotencyKey: string | undefined;
  requestId: string;
  accepts: string;
  signal: AbortSignal;
}

type AnyHandler = (input: Input, context: RequestContext) => Promise<unknown>;

/** Has the service's own handler respond, once for each `Idempotency-Key`. */
async function callService(service: Service, call: ServiceCall): Promise<Response> {
  const { operation, input, url, account, idempotencyKey } = call;
  const { operationId, successStatus, idempotent } = operation;
  const headers: Record<string, string> = {};
  const handler = handlerOf(service, operationId);
  const work = (transactAs: TransactAs) => handler(input, contextOf(call, headers, transactAs));
  const body =
    idempotent && idempotencyKey !== undefined
      ? await respondOnce(
          service,
          {
            accountId: account.id,
            operation: operationId,
            key: idempotencyKey,
            path: url,
            body: input.body,
            repeat: (kept) => repeatedResponse(service.webhookStore, account.id, input.path.webhook_id, kept),
          },
          successStatus,
          work,
        )
      : await work((actor, write) => service.unitOfWork.transact(actor, write));
  return { statusCode: successStatus, headers, body: serialised(operation, body) };
}

/** The spec that types the handlers has also validated what they are given. */
function handlerOf({ handlers }: Service, operationId: Operation["operationId"]): AnyHandler {
  return (handlers as Record<string, unknown>)[operationId] as AnyHandler;
}

function contextOf(
  { account, requestId, accepts, signal }: ServiceCall,
  headers: Record<string, string>,
  transactAs: TransactAs,
): RequestContext {
  const actor = { kind: "token", tokenId: account.id, accountId: account.id, address: actorAddress } as const;
  return {
    account,
    caller: account.id,
    client: account.id,
    address: actorAddress,
    isPublic: false,
    requestId,
    signal,
    accepts,
    setHeader: (name, value) => {
      headers[name] = value;
    },
    // The mock refuses nobody: `Prefer: code=429` does.
    countSearches: () => undefined,
    readSearch,
    transact: (work, toBody) => transactAs(actor, work, toBody),
  };
}

/** As the service: nothing that the document does not name. A stored response is text already. */
function serialised(operation: Operation, body: unknown): unknown {
  if (typeof body === "string" || isEventStream(body)) return body;
  const serialise = serialisers.get(operation) ?? createResponseSerializer(operation.schemas.response);
  serialisers.set(operation, serialise);
  return serialise(body);
}

interface RawInput {
  url: string;
  path: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** What a handler is given: numbers read from the query, defaults filled in. */
interface Input {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

type ReadInput = (operation: Operation, input: RawInput) => Input;

/** Reads requests with the service's own reader and words of refusal. */
function createReadInput(): ReadInput {
  const compile = createValidatorCompiler();
  const validators = new Map<Schema, Validator>();
  function check(schema: Schema, part: string, value: unknown): void {
    const validate = validators.get(schema) ?? compile({ schema });
    validators.set(schema, validate);
    if (validate(value)) return;
    throw new ApiError("invalid_request", validationMessage(validate.errors ?? [], part));
  }
  return (operation, { url, path, headers, body }) => {
    const { schemas } = operation;
    const query = readQuery(url);
    createInputReader(operation)({ raw: { url }, body, query });
    check(schemas.path, "path", path);
    if (schemas.body && body !== undefined) check(schemas.body, "body", body);
    check(schemas.query, "query", query);
    check(schemas.headers, "headers", { ...headers });
    return { path, query, body };
  };
}

/** A parameter that is given twice becomes a list. */
function readQuery(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  return start === -1 ? {} : { ...parse(url.slice(start + 1), "&", "=", { maxKeys: 1000 }) };
}
