import { METHODS } from "node:http";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import openapiGlue from "fastify-openapi-glue";
import { ApiError } from "../errors.ts";
import type { TokenRecord } from "../ports/account-store.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import { createAnswerWriter } from "./answer-writer.ts";
import { FastifyContext } from "./fastify-context.ts";
import type { Guard } from "./guard.ts";
import type { EventStream, RequestContext } from "./handler.ts";
import { answerOnce } from "./idempotency.ts";
import { basePath, type OperationInfo, type SpecDocument } from "./operation-info.ts";
import { sendEvents } from "./server-sent-events.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    operation?: OperationInfo;
  }
  interface FastifyRequest {
    /** What the spec says of the route; absent on those that are not in it. */
    operation: OperationInfo | undefined;
    token: TokenRecord | undefined;
  }
}

export type AnyHandler = (
  input: { path: unknown; query: unknown; body: unknown },
  context: RequestContext,
) => Promise<unknown>;

export interface SpecRoutesOptions {
  spec: SpecDocument;
  operations: readonly OperationInfo[];
  handlers: ReadonlyMap<string, AnyHandler>;
  guard: Guard;
  idempotencyStore: IdempotencyStore;
}

/** Every route of the spec, validated by the spec, and a 405 for every method that the spec does not name. */
export async function registerSpecRoutes(app: FastifyInstance, options: SpecRoutesOptions): Promise<void> {
  const { spec, operations, handlers, guard, idempotencyStore } = options;
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]));

  app.decorateRequest("operation", undefined);
  app.decorateRequest("token", undefined);
  app.removeContentTypeParser("text/plain");
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(({ schema }) => createAnswerWriter(schema));
  app.addHook("onRoute", closeSchemas);

  await app.register(openapiGlue, {
    specification: jsonOnly(spec),
    prefix: basePath,
    operationResolver: (operationId): RouteOptions => {
      const operation = byId.get(operationId);
      const handler = handlers.get(operationId);
      if (!operation || !handler) throw new Error(`No handler for the operation ${operationId}.`);
      return {
        ...routeOptions(operation, handler, idempotencyStore, guard),
        method: operation.method,
        url: routePath(operation.path),
      };
    },
  });
  registerWrongMethods(app, operations, guard);
}

function routeOptions(
  operation: OperationInfo,
  handler: AnyHandler,
  idempotencyStore: IdempotencyStore,
  guard: Guard,
): Pick<RouteOptions, "config" | "exposeHeadRoute" | "onRequest" | "preValidation" | "handler"> {
  return {
    config: { operation },
    // HEAD is not in the spec: it is a wrong method like any other.
    exposeHeadRoute: false,
    onRequest: (request, reply, done) => {
      request.operation = operation;
      const admission = guard.admit(operation, request, reply);
      // Most tokens are known: their requests go on at once.
      if (admission === undefined) done();
      else admission.then(() => done(), done);
    },
    preValidation: (request, _reply, done) => {
      prepareInput(operation, request);
      done();
    },
    handler: async (request, reply) => {
      const context = new FastifyContext(operation, request, reply);
      const input = { path: request.params, query: request.query, body: request.body };
      const work = () => handler(input, context);
      const key = operation.idempotent ? headerText(request, "idempotency-key") : undefined;
      const answer =
        key === undefined
          ? await work()
          : await answerOnce(
              idempotencyStore,
              {
                accountId: context.account.id,
                operation: operation.operationId,
                key,
                path: request.url,
                body: request.body,
              },
              operation.successStatus,
              work,
            );
      reply.code(operation.successStatus);
      if (isEventStream(answer)) return sendEvents(reply, answer);
      return reply.type("application/json; charset=utf-8").send(answer);
    },
  };
}

/** `/webhooks/{webhook_id}` as Fastify writes it. */
function routePath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Event streams are written by `sendEvents`; the route builder would look for a parser of their media type. */
function jsonOnly(spec: SpecDocument): SpecDocument {
  return JSON.parse(JSON.stringify(spec, (key, value) => (key === "text/event-stream" ? undefined : value)));
}

/** What the validator cannot say: a body that must be there, numbers in a query. */
function prepareInput(operation: OperationInfo, request: FastifyRequest): void {
  checkQueryEncoding(request.raw.url ?? "");
  if (operation.bodyRequired && (request.body === undefined || request.body === null)) {
    throw new ApiError("invalid_request", "body: is missing. Send a JSON object.");
  }
  if (!operation.bodyRequired && request.body !== undefined && request.body !== null) {
    throw new ApiError("invalid_request", "body: this operation takes none. Leave it out.");
  }
  if (operation.integerParameters.length > 0)
    readIntegers(Object(request.query), operation.integerParameters);
}

/** Else the parser of queries would take `%zz` for three letters. */
function checkQueryEncoding(url: string): void {
  const query = url.indexOf("?");
  if (query === -1 || !url.includes("%", query)) return;
  try {
    decodeURIComponent(url.slice(query + 1));
  } catch {
    throw new ApiError("invalid_request", "query: is not percent-encoded UTF-8. Write % itself as %25.");
  }
}

function readIntegers(query: Record<string, unknown>, names: readonly string[]): void {
  for (const name of names) {
    const value = query[name];
    if (typeof value === "string" && /^[+-]?\d{1,15}$/.test(value)) query[name] = Number(value);
  }
}

/** Query and path stay text and nothing is coerced or removed: what breaks the spec is refused. */
function createValidatorCompiler() {
  const ajv = new Ajv({
    coerceTypes: false,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    verbose: true,
  });
  formats.default(ajv);
  return ({ schema }: { schema: unknown }) => ajv.compile(Object(schema));
}

/** OpenAPI cannot say that a query is closed: unknown parameters are refused here. */
function closeSchemas(route: RouteOptions): void {
  if (!route.config?.operation || !route.schema) return;
  route.schema.querystring = {
    type: "object",
    properties: {},
    ...Object(route.schema.querystring),
    additionalProperties: false,
  };
}

/** CONNECT asks for no path: it never becomes a request. */
const methods = METHODS.filter((method) => method !== "CONNECT");

function registerWrongMethods(
  app: FastifyInstance,
  operations: readonly OperationInfo[],
  guard: Guard,
): void {
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const allowed = Map.groupBy(operations, (operation) => operation.path);
  for (const [path, known] of allowed) {
    const allow = known.map((operation) => operation.method);
    app.route({
      method: methods.filter((method) => !allow.includes(method)),
      url: basePath + routePath(path),
      // Before the body is parsed: a wrong method comes first in the order of checks.
      onRequest: (request, reply) => {
        guard.countAddress(request, reply);
        throw new ApiError(
          "method_not_allowed",
          `${request.method} is not a method of this path. Use ${allow.join(" or ")}.`,
          { headers: { allow: allow.join(", ") } },
        );
      },
      handler: async () => undefined,
    });
  }
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function isEventStream(answer: unknown): answer is EventStream {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
