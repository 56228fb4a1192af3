import cors from "@fastify/cors";
import { agentAddresses } from "@product-search/agents/ucp-versions.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { TokenRecord } from "@product-search/core/ports/accounts.ts";
import type { RateLimit } from "@product-search/core/ports/quotas.ts";
import type { RateLimiter, RateVerdict } from "@product-search/http-rules/access/rate-limiter.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import { negotiate } from "@product-search/http-rules/requests/read-request.ts";
import {
  bodyTooLarge,
  encodedBody,
  wrongMediaType,
} from "@product-search/http-rules/responses/response-body.ts";
import { type Operation, operations } from "@product-search/spec/operations";
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import { type Authenticator, missingScope } from "./authentication.ts";
import { clientAddress, clientNetwork } from "./client-network.ts";
import { type ConsoleSessions, isFromConsole } from "./console-sessions.ts";

/** Decides whether a request is admitted, before its body is read. */
export interface Guard {
  /** Counts a request without a valid token by its IP address. Throws if the address has sent too many. */
  countAddress(request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
  /** Counts a request for a page outside the base path by its IP address, apart from everything else. */
  countPage(request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
  /** Counts so many further requests of an admitted one, all or none. Throws if fewer are left. */
  countFurther(request: FastifyRequest, reply: FastifyReply, requests: number): void | Promise<void>;
  admit(operation: Admission, request: FastifyRequest, reply: FastifyReply): void | Promise<void>;
}

/** What decides about a request: the scope of its token, and the media types of the response. */
type Admission = Pick<Operation, "scope" | "produces">;

export interface GuardOptions {
  authenticator: Authenticator;
  /** Requests of the console's own pages need no token. */
  sessions?: Pick<ConsoleSessions, "authenticate"> | undefined;
  limiter: RateLimiter;
  trialRateLimit: RateLimit | undefined;
  tokenRateLimit: RateLimit | undefined;
  /** By address, for public tokens. */
  publicRateLimit: RateLimit | undefined;
  /** By address, for pages. */
  pageRateLimit: RateLimit | undefined;
}

/**
 * Checks in the order of the spec: limit by IP address, token, scope, limit by token, size, media type, Accept.
 * Requests are counted by address for the trial search and for invalid tokens, so that nobody can guess tokens
 * quickly.
 */
export function createGuard(options: GuardOptions): Guard {
  const { authenticator, sessions, limiter, trialRateLimit, tokenRateLimit, publicRateLimit, pageRateLimit } =
    options;
  function count(
    policy: string,
    key: string,
    limit: RateLimit | undefined,
    reply: FastifyReply,
    requests?: number,
  ): void | Promise<void> {
    if (!limit) return;
    const verdict = limiter.take(`${policy} ${key}`, limit, requests);
    if (verdict instanceof Promise) return verdict.then((value) => apply(value, policy, limit, reply));
    apply(verdict, policy, limit, reply);
  }

  const countAddress: Guard["countAddress"] = (request, reply) =>
    count("trial", networkOf(request), trialRateLimit, reply);

  function identify(request: FastifyRequest, reply: FastifyReply): TokenRecord | Promise<TokenRecord> {
    const refuse = (error: unknown): never | Promise<never> => {
      const counted = isGuess(error) ? countAddress(request, reply) : undefined;
      if (counted === undefined) throw error;
      return counted.then(() => {
        throw error;
      });
    };
    try {
      const token =
        sessions !== undefined && isFromConsole(request)
          ? sessions.authenticate(request)
          : authenticator.authenticate(request.headers.authorization, clientAddress(request));
      return token instanceof Promise ? token.catch(refuse) : token;
    } catch (error) {
      return refuse(error);
    }
  }

  /**
   * A public token is in everybody's hands, so its requests are counted by address first. What the address is refused does
   * not count for the token: one address alone cannot use up what all others may send.
   */
  function countToken(
    token: TokenRecord,
    request: FastifyRequest,
    reply: FastifyReply,
    requests?: number,
  ): void | Promise<void> {
    const countAll = () => count("token", token.id, tokenRateLimit, reply, requests);
    if (token.publicOrigins === undefined) return countAll();
    const counted = count("public", networkOf(request), publicRateLimit, reply, requests);
    return counted === undefined ? countAll() : counted.then(countAll);
  }

  function admitToken(
    operation: Admission,
    token: TokenRecord,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void | Promise<void> {
    request.token = token;
    if (token.publicOrigins !== undefined) admitPage(token.publicOrigins, request, reply);
    const { scope } = operation;
    if (scope !== undefined && !token.scopes.some((held) => held === scope)) throw missingScope(scope);
    const counted = countToken(token, request, reply);
    if (counted !== undefined) return counted.then(() => checkContent(operation, request));
    checkContent(operation, request);
  }

  return {
    countAddress,
    countPage: (request, reply) => count("page", networkOf(request), pageRateLimit, reply),
    countFurther(request, reply, requests) {
      if (request.token === undefined) throw new Error("Only requests with a token make further ones.");
      reply.removeHeader("ratelimit");
      return countToken(request.token, request, reply, requests);
    },
    admit(operation, request, reply) {
      if (operation.scope === undefined) {
        const counted = countAddress(request, reply);
        if (counted !== undefined) return counted.then(() => checkContent(operation, request));
        return checkContent(operation, request);
      }
      const token = identify(request, reply);
      if (token instanceof Promise)
        return token.then((value) => admitToken(operation, value, request, reply));
      return admitToken(operation, token, request, reply);
    },
  };
}

/** The hook of a page: refuses it if its address has requested too many. */
export function countPages({ countPage }: Pick<Guard, "countPage">): onRequestAsyncHookHandler {
  return async (request, reply) => countPage(request, reply);
}

function networkOf(request: FastifyRequest): string {
  return clientNetwork(clientAddress(request));
}

function apply(
  { allowed, remaining, resetSeconds }: RateVerdict,
  policy: string,
  limit: RateLimit,
  reply: FastifyReply,
): void {
  // Of two limits the client sees the first one, which is its own, until the second one refuses it.
  if (!allowed || !reply.hasHeader("ratelimit")) {
    reply.header("ratelimit-policy", `"${policy}";q=${limit.requests};w=${limit.seconds}`);
    reply.header("ratelimit", `"${policy}";r=${remaining};t=${resetSeconds}`);
  }
  if (allowed) return;
  throw new ApiError(
    "rate_limited",
    `More than ${limit.requests} requests in ${limit.seconds} seconds. Wait ${resetSeconds} seconds.`,
    { retryAfterSeconds: resetSeconds },
  );
}

/** False if the accounts cannot be read at the moment: then the token may be valid. */
function isGuess(error: unknown): boolean {
  return error instanceof ApiError && error.code !== "unavailable";
}

function checkContent(operation: Admission, request: FastifyRequest): void {
  checkBody(request);
  checkAccept(operation, request);
}

/** Refuses requests that fail whatever their body contains, before memory is reserved for the body. */
function checkBody({ method, headers, routeOptions: { bodyLimit } }: FastifyRequest): void {
  if (method === "GET") return;
  const length = headers["content-length"];
  if (length !== undefined && Number(length) > bodyLimit) throw bodyTooLarge(bodyLimit);
  const type = headers["content-type"];
  const isEmpty = headers["transfer-encoding"] === undefined && (length === undefined || length === "0");
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") throw encodedBody();
  if (type === undefined ? !isEmpty : !/^application\/json *(;|$)/i.test(type)) throw wrongMediaType(type);
}

function checkAccept({ produces }: Admission, { headers }: FastifyRequest): void {
  if (negotiate(headers.accept, produces) !== undefined) return;
  throw new ApiError(
    "not_acceptable",
    `Accept: ${produces.join(" or ")} is what this operation responds with.`,
  );
}

/**
 * The operations that a public token can call, as methods and path patterns. Preflight requests for them are allowed.
 */
const searches = Object.values(operations)
  .filter(({ scope }) => scope === "search")
  .map(({ method, path }): { method: string; pattern: RegExp } => ({
    method,
    pattern: new RegExp(`^${basePath}${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
for (const path of agentAddresses.keys()) searches.push({ method: "POST", pattern: new RegExp(`^${path}$`) });

/**
 * Responds to the preflight requests of pages, which carry no token, for the operations of public tokens. This
 * permits nothing by itself: the request that follows is checked by its token. Without a token that lists the page's
 * origin, the browser does not show the response to the page.
 */
export function registerPublicPreflights(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { origin, "access-control-request-method": method } = request.headers;
    if (request.method !== "OPTIONS" || origin === undefined || method === undefined) return done();
    const [path = ""] = request.url.split("?");
    if (!searches.some((search) => search.method === method && search.pattern.test(path))) return done();
    allowOrigin(origin, reply);
    reply
      .code(204)
      .header("access-control-allow-methods", method)
      .header("access-control-allow-headers", allowedHeaders.join(", "))
      .header("access-control-max-age", String(preflightSeconds))
      .send();
  });
}

/** Lets the page of a public token read the response, or refuses a page with another origin. */
function admitPage(
  origins: readonly string[],
  { headers: { origin } }: FastifyRequest,
  reply: FastifyReply,
): void {
  // The request is not from a page. Other clients can forge the header, but the limits apply to them.
  if (origin === undefined) return;
  if (!origins.includes("*") && !origins.includes(origin)) {
    throw new ApiError(
      "forbidden",
      `Authorization: the token may not be used from pages of the origin ${origin}. Ask the operator for a token that lists it.`,
    );
  }
  allowOrigin(origin, reply);
  reply.header("access-control-expose-headers", exposedHeaders.join(", "));
}

function allowOrigin(origin: string, reply: FastifyReply): void {
  const vary = reply.getHeader("vary");
  reply.header("access-control-allow-origin", origin);
  reply.header("vary", vary === undefined ? "Origin" : `${vary}, Origin`);
}

/** What a page may send, and what it may read of a response besides the body. */
const allowedHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "accept",
  // Of the Model Context Protocol.
  "mcp-protocol-version",
  "mcp-method",
  "mcp-name",
  // Of the Universal Commerce Protocol.
  "ucp-agent",
  "request-id",
];
const exposedHeaders = [
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "age",
  "cache-status",
  "x-answer-writer",
];
/** How long a browser may remember a preflight. */
const preflightSeconds = 86_400;

/** Allows pages of these origins to call the service; `*` means all origins. */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.includes("*") ? "*" : [...origins],
    methods: ["GET", "POST", "PUT", "DELETE"],
    allowedHeaders,
    exposedHeaders,
    maxAge: preflightSeconds,
    strictPreflight: false,
  });
}
