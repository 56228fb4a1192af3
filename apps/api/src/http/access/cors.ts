import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** Allows pages of these origins to call the service; `*` means all origins. */
export async function registerCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.includes("*") ? "*" : [...origins],
    methods: ["GET", "POST", "DELETE"],
    allowedHeaders: ["authorization", "content-type", "idempotency-key", "accept"],
    exposedHeaders: [
      "x-request-id",
      "ratelimit",
      "ratelimit-policy",
      "retry-after",
      "age",
      "cache-status",
      "x-answer-writer",
    ],
    maxAge: 3600,
    strictPreflight: false,
  });
}
