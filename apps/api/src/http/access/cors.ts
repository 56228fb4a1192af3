import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** What a page may send, and what it may read of a response besides the body. */
export const allowedHeaders = [
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
export const exposedHeaders = [
  "x-request-id",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "age",
  "cache-status",
  "x-answer-writer",
];
/** How long a browser may remember a preflight. */
export const preflightSeconds = 86_400;

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
