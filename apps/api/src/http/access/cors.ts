import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";

/** Lets pages of the origins call the service; `*` stands for all. */
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
