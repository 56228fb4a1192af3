import { AsyncLocalStorage } from "node:async_hooks";
import { Readable } from "node:stream";
import { ApiError } from "@product-search/core/errors.ts";
import { type FairQueue, inTurn } from "@product-search/core/mechanisms/fair-queue.ts";
import type { Account, Actor, TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { type TokenFilter, withTokenFilter } from "@product-search/features/catalog-search/token-filter.ts";
import type { EventStream, RequestContext, TransactAndRespond } from "@product-search/features/handler.ts";
import { repeatedResponse } from "@product-search/features/webhooks/manage-webhooks.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import {
  type IdempotencyDeps,
  respondOnce,
  type TransactAs,
} from "@product-search/http-rules/idempotency.ts";
import {
  createInputReader,
  createSearchReader,
  createValidatorCompiler,
  negotiate,
} from "@product-search/http-rules/requests/read-request.ts";
import { createResponseSerializer } from "@product-search/http-rules/responses/response-body.ts";
import { type Operation, operations, type Schema } from "@product-search/spec/operations";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { clientAddress, clientNetwork } from "./access/client-network.ts";
import type { Guard } from "./access/guard.ts";
import { parsedAtOnceBytes, parseInPieces } from "./requests/parse-in-pieces.ts";

const anonymous: Account = { id: "", name: "" };

/**
 * A class, because of its getters: the getters of an object literal are created for each literal, and V8 keeps them,
 * and with them the request, until the next full collection. With a literal a thread grew by 20 MB in 6,000 searches,
 * and a pause of a young collection took 3.1 ms instead of 0.4.
 */
class FastifyContext implements RequestContext {
  readonly account: Account;
  readonly requestId: string;
  readonly #operation: Operation;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #transactAs: TransactAs;
  readonly #guard: Guard;
  readonly readSearch: RequestContext["readSearch"];
  #signal: AbortSignal | undefined;

  constructor(
    operation: Operation,
    request: FastifyRequest,
    reply: FastifyReply,
    transactAs: TransactAs,
    { guard, readSearch }: Pick<SpecRoutesOptions, "guard"> & Pick<RequestContext, "readSearch">,
  ) {
    const { token } = request;
    this.account = token ? { id: token.accountId, name: token.accountName } : anonymous;
    this.requestId = request.id;
    this.#operation = operation;
    this.#request = request;
    this.#reply = reply;
    this.#transactAs = transactAs;
    this.#guard = guard;
    this.readSearch = readSearch;
  }

  /** Created only if a handler uses it: most responses are ready before a client could disconnect. */
  get signal(): AbortSignal {
    this.#signal ??= signalOfLeaving(this.#reply);
    return this.#signal;
  }

  get caller(): string {
    return callerOf(this.#request);
  }

  get client(): string {
    return `${this.caller} ${clientAddress(this.#request)}`;
  }

  get address(): string {
    return clientNetwork(clientAddress(this.#request));
  }

  get isPublic(): boolean {
    return this.#request.token?.publicOrigins !== undefined;
  }

  get accepts(): string {
    return negotiate(this.#request.headers.accept, this.#operation.produces) ?? "application/json";
  }

  readonly transact: TransactAndRespond = (work, toBody) => this.#transactAs(this.#actor(), work, toBody);

  #actor(): Actor {
    const { token } = this.#request;
    if (!token) throw new Error("Nothing is written for a request without a token.");
    const request = { accountId: token.accountId, address: clientAddress(this.#request) };
    if (token.person !== undefined) return { kind: "person", name: token.person, ...request };
    return { kind: "token", tokenId: token.id, ...request };
  }

  countSearches(searches: number): void | Promise<void> {
    return this.#guard.countFurther(this.#request, this.#reply, searches);
  }

  readonly setHeader = (name: string, value: string): void => void this.#reply.header(name, value);
}

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: Operation;
  }
  interface FastifyRequest {
    /** The operation of the route; absent for routes that are not in the spec. */
    operation: Operation | undefined;
    token: TokenRecord | undefined;
  }
}

export type AnyHandler = (
  input: { path: unknown; query: unknown; body: unknown },
  context: RequestContext,
) => Promise<unknown>;

export interface SpecRoutesOptions extends IdempotencyDeps {
  /** One handler per operationId. */
  handlers: ReadonlyMap<string, AnyHandler>;
  guard: Guard;
  queue: Pick<FairQueue, "run">;
  /** For responses that are not kept whole. */
  webhookStore: Pick<WebhookStore, "find" | "findDelivery">;
}

/** Every route of the spec, with validation. */
export function registerSpecRoutes(app: FastifyInstance, options: SpecRoutesOptions): void {
  app.decorateRequest("operation", undefined);
  app.decorateRequest("token", undefined);
  app.removeContentTypeParser("text/plain");
  parseJsonBodies(app, options.queue);
  const compile = createValidatorCompiler();
  const readSearch: RequestContext["readSearch"] = createSearchReader(compile);
  app.setValidatorCompiler(compile);
  app.setSerializerCompiler(({ schema }) => createResponseSerializer(schema));
  for (const operation of Object.values(operations))
    app.route(routeOf(operation, { ...options, readSearch }));
  refuseReservedNames(app, options.guard);
}

function routeOf(
  operation: Operation,
  options: SpecRoutesOptions & Pick<RequestContext, "readSearch">,
): RouteOptions {
  const { handlers, guard, unitOfWork } = options;
  const { operationId, method, path, maxBodyBytes, schemas, successStatus } = operation;
  const handler = handlers.get(operationId);
  if (!handler) throw new Error(`No handler for the operation ${operationId}.`);
  const readInput = createInputReader(operation);
  return {
    method,
    url: routeUrl(path),
    config: { operation },
    bodyLimit: maxBodyBytes,
    schema: {
      querystring: schemas.query,
      ...(isNotEmpty(schemas.path) && { params: schemas.path }),
      ...(isNotEmpty(schemas.headers) && { headers: schemas.headers }),
      ...(schemas.body && { body: bodySchema(operation.body, schemas.body) }),
      response: { [successStatus]: schemas.response },
    },
    // HEAD is not in the spec, so it is refused like any other method.
    exposeHeadRoute: false,
    onRequest: (request, reply, done) => {
      request.operation = operation;
      const admission = guard.admit(operation, request, reply);
      // Most tokens are cached; their requests continue without waiting.
      if (admission === undefined) done();
      else admission.then(() => done(), done);
    },
    preValidation: (request, _reply, done) => {
      readInput(request);
      done();
    },
    handler: async (request, reply) => {
      const input = { path: request.params, query: request.query, body: request.body ?? undefined };
      const work = (transactAs: TransactAs) =>
        handler(input, new FastifyContext(operation, request, reply, transactAs, options));
      const key = operation.idempotent ? headerText(request, "idempotency-key") : undefined;
      const accountId = request.token?.accountId;
      const received =
        key === undefined || accountId === undefined
          ? await work((actor, write) => unitOfWork.transact(actor, write))
          : await respondOnce(
              options,
              {
                accountId,
                operation: operationId,
                key,
                path: request.url,
                body: request.body,
                repeat: (kept) => repeatedResponse(options.webhookStore, accountId, webhookOf(request), kept),
              },
              successStatus,
              work,
            );
      reply.code(successStatus);
      if (isEventStream(received)) return sendEvents(reply, received);
      return reply.type("application/json; charset=utf-8").send(await inTurn(received));
    },
  };
}

/** Operations without parameters need no validator for them. */
function isNotEmpty({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 0;
}

/** The framework validates an absent body as null. */
function bodySchema(body: Operation["body"], schema: Schema): Schema & { nullable?: boolean } {
  return body === "optional" ? { ...schema, nullable: true } : schema;
}

const paths = [...Map.groupBy(Object.values(operations), ({ path }) => path)]
  .map(([path, known]) => ({
    path,
    pattern: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    allow: known.map(({ method }): string => method),
  }))
  // `/rules/order` before `/rules/{rule_id}`.
  .toSorted((one, other) => Number(one.path.includes("{")) - Number(other.path.includes("{")));

/**
 * The error of a request that no route takes, if its path is in the spec with other methods. A route for each of these
 * would be 951 more, registered at the start of each thread.
 */
export function wrongMethod(method: string, path: string): ApiError | undefined {
  const known = paths.find(({ pattern }) => pattern.test(path));
  // With the right method the path is at fault: an identifier may be too long for the router.
  if (known === undefined || known.allow.includes(method)) return undefined;
  return new ApiError(
    "method_not_allowed",
    `${method} is not supported for this path. Use ${known.allow.join(" or ")}.`,
    { headers: { allow: known.allow.join(", ") } },
  );
}

/** DELETE of `/rules/order` must not be taken for the deletion of a rule with the identifier "order". */
function refuseReservedNames(app: FastifyInstance, guard: Guard): void {
  for (const { path, allow } of paths) {
    const url = routeUrl(path);
    const others = paths.filter((other) => other.path !== path && other.pattern.test(url));
    const method = others.flatMap((other) => other.allow).filter((name) => !allow.includes(name));
    if (method.length === 0) continue;
    app.route({
      method,
      url,
      // Before the body is parsed: a wrong method comes first in the order of checks.
      onRequest: async (request, reply) => {
        await guard.countAddress(request, reply);
        throw wrongMethod(request.method, url);
      },
      handler: async () => undefined,
    });
  }
}

/** `/webhooks/{webhook_id}` under the base path, in Fastify's syntax. */
function routeUrl(path: string): string {
  return basePath + path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function webhookOf({ params }: FastifyRequest): string | undefined {
  const { webhook_id: id }: { webhook_id?: string } = Object(params);
  return id;
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function isEventStream(received: unknown): received is EventStream {
  return typeof received === "object" && received !== null && Symbol.asyncIterator in received;
}

/** An empty body of an operation that needs none is as good as none, whatever its media type. */
function parseJsonBodies(app: FastifyInstance, queue: Pick<FairQueue, "run">): void {
  const strict = app.getDefaultJsonParser("error", "error");
  // A row may have any field: one with the name of a prototype is unknown like others, and refuses no other row.
  const open = app.getDefaultJsonParser("ignore", "ignore");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body: Buffer, done) => {
    if (body.length === 0 && request.operation?.body !== "required") return done(null, undefined);
    const parse = request.operation?.operationId === "upsertProducts" ? open : strict;
    if (body.length <= parsedAtOnceBytes) return parse(request, body.toString(), done);
    const parsePiece = (text: string): unknown => {
      let parsed: unknown;
      parse(request, text, (error, value) => {
        if (error) throw error;
        parsed = value;
      });
      return parsed;
    };
    // Nobody can leave before the body was read, and then it is soon parsed.
    const staying = () => new AbortController().signal;
    queue
      .run(callerOf(request), staying, () => parseInPieces(body, parsePiece))
      .then((parsed) => done(null, parsed), done);
  });
}

/** Sends named events as they arrive (WHATWG HTML, server-sent events). */
function sendEvents(reply: FastifyReply, events: EventStream): FastifyReply {
  return reply
    .header("content-type", "text/event-stream; charset=utf-8")
    .header("cache-control", "no-store")
    .header("x-accel-buffering", "no")
    .send(Readable.from(inThisContext(encode(events))));
}

/** They are made while the response is sent: outside of the request's turn and without the filter of its token otherwise. */
function inThisContext<Item>(items: AsyncGenerator<Item>): AsyncIterable<Item> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => run(() => items.next()),
      return: () => run(() => items.return(undefined)),
    }),
  };
}

async function* encode(events: EventStream): AsyncGenerator<string> {
  for await (const { event, data } of events) {
    yield `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }
}

/**
 * Who shares the service with others, and pays for requests and the memory of bodies: a token, or a network without one. A
 * public token is in everybody's hands: each network that uses it is a caller of its own.
 */
export function callerOf(request: FastifyRequest): string {
  const { token } = request;
  if (token !== undefined && token.publicOrigins === undefined) return token.id;
  const network = clientNetwork(clientAddress(request));
  return token === undefined ? network : `${token.id} ${network}`;
}

/**
 * The handlers of all routes that are registered from now on wait for their turn, and see what the filter of their token keeps:
 * none can forget it.
 */
export function registerFairRoutes(
  app: FastifyInstance,
  queue: Pick<FairQueue, "run">,
  filterOf: (token: TokenRecord) => TokenFilter | undefined,
): void {
  app.addHook("onRoute", (route) => {
    // A route of HEAD that the framework adds has the handler of its GET, which waits already.
    if (route.method === "HEAD") return;
    const { handler } = route;
    route.handler = function (request, reply) {
      return queue.run(
        callerOf(request),
        () => signalOfLeaving(reply),
        async () =>
          withTokenFilter(request.token && filterOf(request.token), () => handler.call(this, request, reply)),
      );
    };
  });
}

/**
 * Fastify's own signal follows the request, which closes as soon as its body is read. This one follows the response. A client
 * may have left while its token and its body were read.
 */
export function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  if (raw.destroyed || raw.socket?.destroyed === true) leaving.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
