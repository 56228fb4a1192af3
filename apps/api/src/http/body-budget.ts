import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import { bodyLimitBytes } from "./error-body.ts";

/** Of bodies at once on a thread; each takes up to four times its size while it is read, parsed and decoded. */
export const mostBodyBytes = 64 * 1024 * 1024;

/** Refuses bodies past the thread's share of memory before they are read: many uploads at once must not exhaust it. */
export function registerBodyBudget(app: FastifyInstance): void {
  let total = 0;
  app.addHook("preParsing", (request, reply, _payload, done) => {
    const announced = announcedBytes(request);
    if (announced === 0) return done();
    if (total + announced > mostBodyBytes) {
      throw new ApiError("unavailable", "The service has no room for another upload. Try again shortly.", {
        retryAfterSeconds: 1,
        // The body is not read: the connection cannot be used again.
        headers: { connection: "close" },
      });
    }
    total += announced;
    // Also when the client leaves before its body is whole: no hook of the framework is called then.
    reply.raw.once("close", () => {
      total -= announced;
    });
    done();
  });
}

/** A body of unknown length may become as large as any. */
function announcedBytes({ headers }: FastifyRequest): number {
  if (headers["transfer-encoding"] !== undefined) return bodyLimitBytes;
  return Number(headers["content-length"] ?? 0);
}
