import { setImmediate, setTimeout } from "node:timers/promises";
import { loadAgentEndpoint } from "@product-search/agents/load-agent-endpoint.ts";
import { ucpProfiles } from "@product-search/agents/ucp-versions.ts";
import { hashAccessToken } from "@product-search/core/domain/access-token.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { createFairQueue, type FairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import type { AccountStore, PeopleStore } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { IdempotencyStore } from "@product-search/core/ports/idempotency-store.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import type { ServiceTransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";
import type { WebhookStore } from "@product-search/core/ports/webhooks.ts";
import { acceptInvitation, consoleAccount } from "@product-search/features/accounts/accounts.ts";
import type { Handlers } from "@product-search/features/handler.ts";
import type { Ports } from "@product-search/features/handlers.ts";
import type { RateLimiter } from "@product-search/http-rules/access/rate-limiter.ts";
import { createRequestIds, sentRequestId } from "@product-search/http-rules/requests/read-request.ts";
import { usualMaxBodyBytes } from "@product-search/spec/operations";
import type { operations } from "@product-search/types";
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Config } from "./config.ts";
import { withAgentTokens } from "./http/access/agent-tokens.ts";
import { type Authenticator, createAuthenticator, createTokenFilters } from "./http/access/authentication.ts";
import { createProxyTrust } from "./http/access/client-network.ts";
import {
  type ConsoleSessions,
  createConsoleSessions,
  rewriteConsoleUrl,
} from "./http/access/console-sessions.ts";
import { createGuard, type Guard, registerCors, registerPublicPreflights } from "./http/access/guard.ts";
import { createAccessLog } from "./http/access-log.ts";
import { agentPath, registerAgentRoutes, wrongAgentMethod } from "./http/agent-routes.ts";
import type { ConnectionBalancer } from "./http/connections/connection-balancer.ts";
import { type ConnectionLimits, connectionLimits } from "./http/connections/connection-limits.ts";
import type { HttpMetrics } from "./http/metrics.ts";
import type { ConsoleFiles, ConsolePage, RenderShop } from "./http/pages/console-pages.ts";
import { registerCrawlerPages } from "./http/pages/crawler-pages.ts";
import { registerPeoplePages } from "./http/pages/people-pages.ts";
import { registerSitePages } from "./http/pages/site-pages.ts";
import { registerRequestBodies, registerUnreadBodies } from "./http/requests/request-bodies.ts";
import {
  checkMessage,
  createSendError,
  refuseBrokenRequest,
  respondToBrokenRequests,
  type SendError,
} from "./http/responses/send-error.ts";
import { registerServiceRoutes, type ServiceState } from "./http/service-routes.ts";
import { type AnyHandler, registerFairRoutes, registerSpecRoutes, wrongMethod } from "./http/spec-routes.ts";
import { registerTracing } from "./http/tracing.ts";

/** More concurrent requests than a thread can respond to in time. Above this, clients get 503. */
const maxInFlight = 1000;

/** How long requests may be on their way that were sent before their client could know that the service stops. */
const graceMs = 100;

/** One accepts a connection, one reads its request, and one is to spare. */
const quietTurns = 3;
const maxBusyMs = 1000;

export interface AppParts {
  handlers: Handlers<operations>;
  config: Config;
  accountStore: AccountStore;
  idempotencyStore: IdempotencyStore;
  unitOfWork: UnitOfWork;
  webhookStore: Pick<WebhookStore, "find" | "findDelivery">;
  limiter: RateLimiter;
  connectionBalancer: Pick<ConnectionBalancer, "shouldMove">;
  metrics: HttpMetrics;
  state: ServiceState;
  logger: FastifyBaseLogger;
  clock: Clock;
  /** Another monotonic clock, for tests. */
  monotonicMs?: (() => number) | undefined;
  /** To the authorization server of agents; needed with AGENT_ISSUER. */
  issuerHttp?: OutboundHttp | undefined;
  site: SiteContent;
  /** The catalog in which searches find, as the token of a request sees it. */
  visible: Pick<Ports, "catalogStore" | "textSearch">;
  /** Who works in the console. Without them it takes tokens alone. */
  people?: ConsolePeople | undefined;
  /** The built console, if there is one. */
  consoleFiles?: ConsoleFiles | undefined;
  /** Without it the shop page is rendered in the browser alone. */
  renderShop?: RenderShop | undefined;
  /** Different limits, for tests. */
  limits?: ConnectionLimits | undefined;
  /** In which requests wait for their turn. Default: a new one. */
  queue?: Pick<FairQueue, "run"> | undefined;
}

export interface ConsolePeople {
  peopleStore: PeopleStore;
  unitOfWork: UnitOfWork<ServiceTransactionStores>;
  /** Sign sessions: the first signs, each is accepted. */
  sessionKeys: () => readonly [Buffer, ...Buffer[]];
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
    renderShop,
    queue = createFairQueue(),
    people,
  } = parts;
  const authenticator = createAuthenticator({ accountStore, clock, monotonicMs });
  const sessions =
    people &&
    createConsoleSessions({
      config,
      peopleStore: people.peopleStore,
      findAccount: () => accountStore.ensureAccount(consoleAccount),
      keys: people.sessionKeys,
      clock,
    });
  const guard = createGuard({ ...config, authenticator, sessions, limiter });
  const sendError = createSendError(logger);
  const app = createServer({ config, logger, limits, guard, sendError });

  if (config.tracing !== undefined) registerTracing(app, config.tracing);
  registerRequestHooks(app, parts);
  registerUnreadBodies(app, limits);
  app.setErrorHandler(sendError);
  registerPublicPreflights(app);
  await registerCors(app, config.corsOrigins);
  registerNotFound(app, { config, guard, sendError, page: () => page });
  registerRequestBodies(app, limits);
  recordTokenUses(app, authenticator, logger);
  if (config.databaseUrl !== undefined) confirmUsedTokens(app, authenticator);
  // Before the others: health checks and documents do not wait.
  await registerServiceRoutes(app, { state, config, guard });
  if (people !== undefined && sessions !== undefined) registerPeople(app, { people, sessions, guard });
  registerFairRoutes(app, queue, createTokenFilters(config.currency));
  registerSpecRoutes(app, {
    // The same spec types the handlers and validates their input.
    handlers: new Map(Object.entries(handlers) as [string, AnyHandler][]),
    guard,
    idempotencyStore,
    unitOfWork,
    queue,
    webhookStore: parts.webhookStore,
  });
  const page = registerSitePages(app, parts.site, { ...config, consoleFiles, renderShop }, guard);
  registerCrawlerPages(app, parts.site, config, guard);
  registerAgentRoutes(app, {
    config,
    guard: agentGuard(app, parts, authenticator) ?? guard,
    profiles: ucpProfiles(config.publicUrl),
    load: async () => {
      const { createAgentEndpoint } = await loadAgentEndpoint();
      return createAgentEndpoint({
        ...config,
        handlers,
        ...parts.visible,
        onError: (error, requestId) => logger.error({ err: error, requestId }, "an agent's tool failed"),
      });
    },
  });
  return app;
}

function registerPeople(
  app: FastifyInstance,
  {
    people: { peopleStore, unitOfWork },
    sessions,
    guard,
  }: { people: ConsolePeople; sessions: ConsoleSessions; guard: Guard },
): void {
  registerPeoplePages(app, {
    sessions,
    guard,
    findInvited: (code) => peopleStore.findInvited(hashAccessToken(code)),
    acceptInvitation: (code, address) => acceptInvitation({ unitOfWork, peopleStore }, code, address),
  });
}

/** With an authorization server, the endpoint for agents also takes its tokens, and nothing else does. */
function agentGuard(
  app: FastifyInstance,
  { config, limiter, clock, issuerHttp: http }: AppParts,
  authenticator: Authenticator,
): Guard | undefined {
  const { agentIssuer: issuer, publicUrl } = config;
  if (issuer === undefined || http === undefined) return undefined;
  app.addHook("onClose", () => http.close());
  const audiences = [`${publicUrl}${agentPath}`, publicUrl];
  const agents = withAgentTokens(authenticator, { issuer, audiences, http, clock });
  return createGuard({ ...config, authenticator: agents, limiter });
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
    bodyLimit: usualMaxBodyBytes,
    rewriteUrl: rewriteConsoleUrl,
    genReqId: ({ headers }) => sentRequestId(headers) ?? newRequestId(),
    trustProxy: config.trustProxy.length > 0 ? createProxyTrust(config.trustProxy) : false,
    requestTimeout: limits.headersTimeoutMs + limits.bodyTimeoutMs,
    http: {
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.headersTimeoutMs / 2,
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

/**
 * Closing the server closes every connection on which no request was read yet, also if one has already arrived. The
 * service therefore first goes on for a moment; its responses say `Connection: close`.
 */
function readLastRequests(app: FastifyInstance): void {
  let arrivals = 0;
  const count = () => {
    arrivals += 1;
  };
  app.server.on("connection", count).on("request", count);
  app.addHook("preClose", async () => {
    if (!app.server.listening) return;
    await setTimeout(graceMs);
    // A thread that was busy all the time still finds new connections, one in each turn of the event loop.
    const busyUntilMs = performance.now() + maxBusyMs;
    for (let turns = 0; turns < quietTurns && performance.now() < busyUntilMs; ) {
      const before = arrivals;
      await setImmediate();
      turns = arrivals === before ? turns + 1 : 0;
    }
  });
}

interface NotFoundDeps {
  config: Pick<Config, "agentAccess">;
  guard: Guard;
  sendError: SendError;
  /** The console's page, if the console has been built. */
  page(): ConsolePage | undefined;
}

/**
 * Responds to unknown paths: browsers get a page with links, programs get JSON. Registered after the hook that responds to
 * preflight requests. It does not wait for a body.
 */
function registerNotFound(app: FastifyInstance, { config, guard, sendError, page }: NotFoundDeps): void {
  const notFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const [path = ""] = request.url.split("?");
    const error = wrongMethod(request.method, path) ?? wrongAgentMethod(path, config);
    if (error !== undefined) return sendError(error, request, reply);
    const shown = request.method === "GET" && asksForPage(request) ? page() : undefined;
    if (shown) return shown.send(request, reply.code(404));
    return sendError(
      new ApiError("not_found", `${path} does not exist. See /docs for the paths.`),
      request,
      reply,
    );
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    const counted = guard.countAddress(request, reply);
    if (counted === undefined) void notFound(request, reply);
    else counted.then(() => notFound(request, reply), done);
  });
  // For routes that find nothing, such as /images/*.
  app.setNotFoundHandler(notFound);
}

/** Fastify calls no hook for a malformed path. */
function refuseUnreadablePath(
  { guard, sendError }: Pick<NotFoundDeps, "guard" | "sendError">,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header("x-request-id", request.id);
  const send = (thrown: unknown) => sendError(thrown, request, reply);
  try {
    const counted = guard.countAddress(request, reply);
    if (counted === undefined) send(error);
    else counted.then(() => send(error), send);
  } catch (limited) {
    send(limited);
  }
}

function asksForPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith("/api/") && String(headers.accept ?? "").includes("text/html");
}

interface RequestHooksDeps {
  metrics: HttpMetrics;
  connectionBalancer: Pick<ConnectionBalancer, "shouldMove">;
  logger: FastifyBaseLogger;
  config: Pick<Config, "logRequests">;
}

/** The first and the last steps of every request. */
function registerRequestHooks(
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
    const operation = request.operation?.operationId ?? request.measuredAs ?? "other";
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
