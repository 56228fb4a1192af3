import { METHODS } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import type { TokenRecord } from "@product-search/core/ports/account-store.ts";
import type { EventStream, RequestContext } from "@product-search/features/handler.ts";
import { basePath } from "@product-search/http-rules/base-path.ts";
import { type CommitAs, type IdempotencyDeps, respondOnce } from "@product-search/http-rules/idempotency.ts";
import { createInputReader } from "@product-search/http-rules/requests/input-reader.ts";
import { createValidatorCompiler } from "@product-search/http-rules/requests/validator-compiler.ts";
import { createResponseSerializer } from "@product-search/http-rules/responses/response-serializer.ts";
import { type Operation, operations, type Schema } from "@product-search/spec/operations";
import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { FastifyContext } from "./fastify-context.ts";
import type { Guard } from "./guard.ts";
import { parseJsonBodies } from "./requests/json-bodies.ts";
import { sendEvents } from "./responses/server-sent-events.ts";

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
}

/** Every route of the spec, with validation, and a 405 for every other method on its path. */
export function registerSpecRoutes(app: FastifyInstance, options: SpecRoutesOptions): void {
  app.decorateRequest("operation", undefined);
  app.decorateRequest("token", undefined);
  app.removeContentTypeParser("text/plain");
  parseJsonBodies(app);
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(({ schema }) => createResponseSerializer(schema));
  for (const operation of Object.values(operations)) app.route(routeOf(operation, options));
  registerWrongMethods(app, options.guard);
}

function routeOf(operation: Operation, options: SpecRoutesOptions): RouteOptions {
  const { handlers, guard, unitOfWork } = options;
  const { operationId, method, path, schemas, successStatus } = operation;
  const handler = handlers.get(operationId);
  if (!handler) throw new Error(`No handler for the operation ${operationId}.`);
  const readInput = createInputReader(operation);
  const commitAlone: CommitAs = (actor, write) => unitOfWork.transact(actor, write);
  return {
    method,
    url: routeUrl(path),
    config: { operation },
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
      const work = (commitAs: CommitAs) =>
        handler(input, new FastifyContext(operation, request, reply, commitAs));
      const key = operation.idempotent ? headerText(request, "idempotency-key") : undefined;
      const accountId = request.token?.accountId;
      const received =
        key === undefined || accountId === undefined
          ? await work(commitAlone)
          : await respondOnce(
              options,
              { accountId, operation: operationId, key, path: request.url, body: request.body },
              successStatus,
              work,
            );
      reply.code(successStatus);
      if (isEventStream(received)) return sendEvents(reply, received);
      return reply.type("application/json; charset=utf-8").send(received);
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

/** CONNECT has no path and never becomes a request. */
const methods = METHODS.filter((method) => method !== "CONNECT");

function registerWrongMethods(app: FastifyInstance, guard: Guard): void {
  for (const method of methods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const paths = Map.groupBy(Object.values(operations), ({ path }) => path);
  for (const [path, known] of paths) {
    const allow = known.map(({ method }): string => method);
    app.route({
      method: methods.filter((method) => !allow.includes(method)),
      url: routeUrl(path),
      // Before the body is parsed: a wrong method comes first in the order of checks.
      onRequest: async (request, reply) => {
        await guard.countAddress(request, reply);
        throw new ApiError(
          "method_not_allowed",
          `${request.method} is not supported for this path. Use ${allow.join(" or ")}.`,
          { headers: { allow: allow.join(", ") } },
        );
      },
      handler: async () => undefined,
    });
  }
}

/** `/webhooks/{webhook_id}` under the base path, in Fastify's syntax. */
function routeUrl(path: string): string {
  return basePath + path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function headerText(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function isEventStream(received: unknown): received is EventStream {
  return typeof received === "object" && received !== null && Symbol.asyncIterator in received;
}
