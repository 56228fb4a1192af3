import { ApiError } from "@product-search/core/errors.ts";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { createAccessLog } from "./access-log.ts";
import { checkMessage } from "./connections/broken-requests.ts";
import type { ConnectionBalancer } from "./connections/connection-balancer.ts";
import type { HttpMetrics } from "./metrics.ts";

export interface RequestHooksDeps {
  metrics: HttpMetrics;
  connectionBalancer: Pick<ConnectionBalancer, "shouldMove">;
  logger: FastifyBaseLogger;
  config: Pick<Config, "logRequests">;
}

/** More concurrent requests than a thread can respond to in time. Above this, clients get 503. */
const maxInFlight = 1000;

/** The first and the last steps of every request. */
export function registerRequestHooks(
  app: FastifyInstance,
  { metrics, connectionBalancer, logger, config }: RequestHooksDeps,
): void {
  const logRequest = createAccessLog({ ...config, logger });
  app.addHook("onRequest", (request, reply, done) => {
    metrics.inFlight += 1;
    // Also when the client disconnects before its body is complete: `onResponse` is not called then.
    reply.raw.once("close", () => {
      metrics.inFlight -= 1;
    });
    logRequest?.(request, reply);
    // Not where a response may come before the whole of a body: what is still being sent would meet a closed connection.
    if (request.method === "GET" && connectionBalancer.shouldMove(request.raw.socket))
      reply.header("connection", "close");
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    checkMessage(request);
    if (metrics.inFlight <= maxInFlight) return done();
    throw new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
      retryAfterSeconds: 1,
    });
  });
  const logsResponses = logger.level === "debug" || logger.level === "trace";
  app.addHook("onResponse", (request, reply, done) => {
    const operation = request.operation?.operationId ?? "other";
    const { statusCode, elapsedTime } = reply;
    metrics.observe(operation, statusCode, elapsedTime / 1000);
    if (logsResponses) {
      const account = request.token?.accountId;
      logger.debug(
        { requestId: request.id, operation, status: statusCode, ms: elapsedTime, account },
        "answered",
      );
    }
    done();
  });
}
