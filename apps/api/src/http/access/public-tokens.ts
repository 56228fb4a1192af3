import cors from "@fastify/cors";
import { agentAddresses } from "@product-search/agents/ucp-versions.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import { operations } from "@product-search/spec/operations";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

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
export function admitPage(
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
