import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { fileURLToPath } from "node:url";
import cors from "@fastify/cors";
import type { operations } from "@product-search/types";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Config } from "./config.ts";
import { ApiError } from "./errors.ts";
import { createAuthenticator } from "./http/authentication.ts";
import { answerBrokenRequests, checkMessage, refuseBrokenRequest } from "./http/broken-requests.ts";
import { type ConnectionLimits, connectionLimits } from "./http/connection-limits.ts";
import { bodyLimitBytes } from "./http/error-body.ts";
import type { EvenLoad } from "./http/even-load.ts";
import { createGuard } from "./http/guard.ts";
import type { Handlers } from "./http/handler.ts";
import type { HttpMetrics } from "./http/metrics.ts";
import type { RateLimiter } from "./http/rate-limiter.ts";
import { registerRequestBodies } from "./http/request-bodies.ts";
import { createSendError } from "./http/send-error.ts";
import { registerServiceRoutes, type ServiceState } from "./http/service-routes.ts";
import { registerSitePages } from "./http/site-pages.ts";
import { type AnyHandler, registerSpecRoutes } from "./http/spec-routes.ts";
import { registerUnreadBodies } from "./http/unread-bodies.ts";
import type { AccountStore } from "./ports/account-store.ts";
import type { Clock } from "./ports/clock.ts";
import type { IdempotencyStore } from "./ports/idempotency-store.ts";
import type { SiteContent } from "./ports/site-content.ts";

export interface AppParts {
  handlers: Handlers<operations>;
  config: Config;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  limiter: RateLimiter;
  evenLoad: Pick<EvenLoad, "movesConnection">;
  metrics: HttpMetrics;
  state: ServiceState;
  logger: FastifyBaseLogger;
  clock: Clock;
  site: SiteContent;
  /** Where the built console is. */
  consoleFolder?: string | undefined;
  /** Other than the usual ones, for tests. */
  limits?: ConnectionLimits | undefined;
}

/** More at once than a thread can answer in time; past it clients are told to come back. */
const mostInFlight = 1000;
const builtConsole = fileURLToPath(new URL("../../console/dist", import.meta.url));
const usesFlushedEveryMs = 10_000;

/** The HTTP service: every route of the spec plus the few that are not part of the interface. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const {
    config,
    handlers,
    accountStore,
    idempotencyStore,
    limiter,
    evenLoad,
    metrics,
    logger,
    clock,
    state,
    limits = connectionLimits,
    consoleFolder = builtConsole,
  } = parts;
  const authenticator = createAuthenticator({ accountStore, clock });
  const guard = createGuard({ ...config, authenticator, limiter });
  const sendError = createSendError(logger);
  const newRequestId = createRequestIds();
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Our lines name their request themselves: a logger made for each would cost more than the rest of the frame.
    childLoggerFactory: (parent) => parent,
    bodyLimit: bodyLimitBytes,
    genReqId: ({ headers }) => sentRequestId(headers) ?? newRequestId(),
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // Node's own refusal has no body.
      requireHostHeader: false,
    },
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 2000 },
    // A path that cannot be read: no hook is called for it.
    frameworkErrors: (error, request, reply) => {
      reply.header("x-request-id", request.id);
      try {
        guard.countAddress(request, reply);
        sendError(error, request, reply);
      } catch (limited) {
        sendError(limited, request, reply);
      }
    },
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, newRequestId()),
  });
  answerBrokenRequests(app.server, newRequestId);

  app.addHook("onRequest", (request, reply, done) => {
    metrics.inFlight += 1;
    // Also when the client leaves before its body is whole: `onResponse` is not called then.
    reply.raw.once("close", () => {
      metrics.inFlight -= 1;
    });
    // Not where an answer may come before the whole of a body: what is still being sent would meet a closed connection.
    if (request.method === "GET" && evenLoad.movesConnection(request.raw.socket))
      reply.header("connection", "close");
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "no-referrer");
    checkMessage(request);
    if (metrics.inFlight <= mostInFlight) return done();
    throw new ApiError("unavailable", "The service is overloaded. Try again shortly.", {
      retryAfterSeconds: 1,
    });
  });
  const tellsAnswers = logger.level === "debug" || logger.level === "trace";
  app.addHook("onResponse", (request, reply, done) => {
    const operation = request.operation?.operationId ?? "other";
    const { statusCode, elapsedTime } = reply;
    metrics.observe(operation, statusCode, elapsedTime / 1000);
    if (tellsAnswers) {
      const account = request.token?.accountId;
      logger.debug(
        { requestId: request.id, operation, status: statusCode, ms: elapsedTime, account },
        "answered",
      );
    }
    done();
  });
  registerUnreadBodies(app, limits);
  app.setErrorHandler(sendError);
  const notFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // A person is shown a page that leads on; a program is told in JSON.
    if (page && request.method === "GET" && wantsPage(request)) return page.send(request, reply.code(404));
    const path = request.url.split("?")[0];
    const error = new ApiError("not_found", `${path} does not exist. See /docs for the paths.`);
    return sendError(error, request, reply);
  };
  app.setNotFoundHandler(notFound);

  const origins = config.corsOrigins;
  if (origins.length > 0) {
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

  const flushing = setInterval(() => {
    authenticator
      .flush()
      .catch((error: unknown) => logger.warn({ error }, "last uses of tokens were not recorded"));
  }, usesFlushedEveryMs);
  app.addHook("onClose", async () => {
    clearInterval(flushing);
    await authenticator.flush();
  });

  // After the hook that answers preflight requests, and before a body is waited for.
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    guard.countAddress(request, reply);
    void notFound(request, reply);
  });
  registerRequestBodies(app, limits);
  registerSpecRoutes(app, {
    // The spec that types the handlers also validates what they are given.
    handlers: new Map(Object.entries(handlers) as [string, AnyHandler][]),
    guard,
    idempotencyStore,
  });
  await registerServiceRoutes(app, { state });
  const page = await registerSitePages(app, parts.site, { ...config, consoleFolder });
  return app;
}

function createRequestIds(): () => string {
  const prefix = randomBytes(9).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The client's own identifier, when it is a harmless one. */
function sentRequestId(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined;
}

function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith("/api/") && String(headers.accept ?? "").includes("text/html");
}
