import type { AccountStore } from "@product-search/core/ports/account-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import type { UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { Handlers } from "@product-search/features/handler.ts";
import type { RateLimiter } from "@product-search/http-rules/access/rate-limiter.ts";
import { createRequestIds, sentRequestId } from "@product-search/http-rules/requests/request-ids.ts";
import { bodyLimitBytes } from "@product-search/http-rules/responses/error-body.ts";
import type { operations } from "@product-search/types";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Config } from "./config.ts";
import { type Authenticator, createAuthenticator } from "./http/access/authentication.ts";
import { createProxyTrust } from "./http/access/client-network.ts";
import { registerCors } from "./http/access/cors.ts";
import { registerPublicPreflights } from "./http/access/public-tokens.ts";
import { refuseBrokenRequest, respondToBrokenRequests } from "./http/connections/broken-requests.ts";
import type { ConnectionBalancer } from "./http/connections/connection-balancer.ts";
import { type ConnectionLimits, connectionLimits } from "./http/connections/connection-limits.ts";
import { readLastRequests } from "./http/connections/last-requests.ts";
import { createGuard, type Guard } from "./http/guard.ts";
import type { HttpMetrics } from "./http/metrics.ts";
import { refuseUnreadablePath, registerNotFound } from "./http/not-found.ts";
import type { ConsoleFiles } from "./http/pages/console-pages.ts";
import { registerSitePages } from "./http/pages/site-pages.ts";
import { registerRequestHooks } from "./http/request-hooks.ts";
import { registerRequestBodies } from "./http/requests/request-bodies.ts";
import { registerUnreadBodies } from "./http/requests/unread-bodies.ts";
import { createSendError, type SendError } from "./http/responses/send-error.ts";
import { registerServiceRoutes, type ServiceState } from "./http/service-routes.ts";
import { type AnyHandler, registerSpecRoutes } from "./http/spec-routes.ts";
import { registerTracing } from "./http/tracing.ts";

export interface AppParts {
  handlers: Handlers<operations>;
  config: Config;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  unitOfWork: UnitOfWork;
  limiter: RateLimiter;
  connectionBalancer: Pick<ConnectionBalancer, "shouldMove">;
  metrics: HttpMetrics;
  state: ServiceState;
  logger: FastifyBaseLogger;
  clock: Clock;
  /** Another monotonic clock, for tests. */
  monotonicMs?: (() => number) | undefined;
  site: SiteContent;
  /** The built console, if there is one. */
  consoleFiles?: ConsoleFiles | undefined;
  /** Different limits, for tests. */
  limits?: ConnectionLimits | undefined;
}

const usesFlushedEveryMs = 10_000;
const tokensConfirmedEveryMs = 20_000;

/** The HTTP service: every route of the spec, and the few that are outside the interface. */
export async function buildApp(parts: AppParts): Promise<FastifyInstance> {
  const {
    config,
    handlers,
    accountStore,
    idempotencyStore,
    unitOfWork,
    limiter,
    logger,
    clock,
    monotonicMs,
    state,
    limits = connectionLimits,
    consoleFiles,
  } = parts;
  const authenticator = createAuthenticator({ accountStore, clock, monotonicMs });
  const guard = createGuard({ ...config, authenticator, limiter });
  const sendError = createSendError(logger);
  const app = createServer({ config, logger, limits, guard, sendError });

  if (config.tracing !== undefined) registerTracing(app, config.tracing);
  registerRequestHooks(app, parts);
  registerUnreadBodies(app, limits);
  app.setErrorHandler(sendError);
  registerPublicPreflights(app);
  await registerCors(app, config.corsOrigins);
  registerNotFound(app, { guard, sendError, page: () => page });
  registerRequestBodies(app, limits);
  recordTokenUses(app, authenticator, logger);
  if (config.databaseUrl !== undefined) confirmUsedTokens(app, authenticator);
  registerSpecRoutes(app, {
    // The same spec types the handlers and validates their input.
    handlers: new Map(Object.entries(handlers) as [string, AnyHandler][]),
    guard,
    idempotencyStore,
    unitOfWork,
  });
  await registerServiceRoutes(app, { state, config, guard });
  const page = await registerSitePages(app, parts.site, { ...config, consoleFiles }, guard);
  return app;
}

interface ServerParts extends Pick<AppParts, "config" | "logger"> {
  limits: ConnectionLimits;
  guard: Guard;
  sendError: SendError;
}

function createServer({ config, logger, limits, guard, sendError }: ServerParts): FastifyInstance {
  const newRequestId = createRequestIds();
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Our log lines name their request themselves: a logger per request would cost more than the rest of the HTTP
    // layer.
    childLoggerFactory: (parent) => parent,
    bodyLimit: bodyLimitBytes,
    genReqId: ({ headers }) => sentRequestId(headers) ?? newRequestId(),
    trustProxy: config.trustProxy.length > 0 ? createProxyTrust(config.trustProxy) : false,
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      // Node's own error response has no body.
      requireHostHeader: false,
    },
    keepAliveTimeout: 75_000,
    forceCloseConnections: "idle",
    // While the service stops, requests on open connections are handled as usual. Fastify's own 503 is in no document of ours.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2000 },
    frameworkErrors: (error, request, reply) =>
      refuseUnreadablePath({ guard, sendError }, error, request, reply),
    clientErrorHandler: (error, socket) => refuseBrokenRequest(error, socket, newRequestId()),
  });
  respondToBrokenRequests(app.server, newRequestId);
  readLastRequests(app);
  return app;
}

function recordTokenUses(
  app: FastifyInstance,
  authenticator: Authenticator,
  logger: FastifyBaseLogger,
): void {
  const flush = () =>
    authenticator
      .flush()
      .catch((error: unknown) => logger.warn({ err: error }, "last uses of tokens were not recorded"));
  const flushing = setInterval(flush, usesFlushedEveryMs);
  app.addHook("onClose", async () => {
    clearInterval(flushing);
    await flush();
  });
}

/** With PostgreSQL, a token that another thread or node has used works here during an outage, too. */
function confirmUsedTokens(app: FastifyInstance, authenticator: Authenticator): void {
  // During an outage, those of the last reply stay confirmed.
  const confirm = () => void authenticator.confirmUsed().catch(() => {});
  const confirming = setInterval(confirm, tokensConfirmedEveryMs);
  app.addHook("onClose", async () => clearInterval(confirming));
  confirm();
}
