import { systemClock } from "@product-search/core/ports/clock.ts";
import { createHandlers } from "@product-search/features/handlers.ts";
import { createRateLimiter, type RateLimiter } from "@product-search/http-rules/access/rate-limiter.ts";
import type { Logger } from "pino";
import { buildApp } from "../../app.ts";
import { composeIssuerHttp, composePeople } from "../../compose/access.ts";
import { composeEventReport, composePopularQueries, composeSearchCounter } from "../../compose/insights.ts";
import { composeRuleFollower, composeSynonymFollower } from "../../compose/merchandising.ts";
import { composePorts, composeSite, type Peers } from "../../compose/ports.ts";
import { openSearchCluster } from "../../compose/search/search-cluster.ts";
import { composeStores, type Stores } from "../../compose/stores/stores.ts";
import { tracePort, tracePorts } from "../../compose/trace-ports.ts";
import { startClusterRateLimiter } from "../../http/access/cluster-rate-limiter.ts";
import { compareEveryMs, createConnectionBalancer } from "../../http/connections/connection-balancer.ts";
import { intervalWhile } from "../../http/connections/interval-while.ts";
import { addProcessMetrics, addReadyGauge, createHttpMetrics } from "../../http/metrics.ts";
import type { Run } from "../role.ts";
import { createImageCounter } from "./image-counter.ts";
import { callLongSearch } from "./long-search.ts";
import { callShopPage } from "./shop-page.ts";

const metricsTimeoutMs = 2000;
/** The marketplace's thread replies within three seconds. This limit applies if it does not. */
const marketplaceTimeoutMs = 3100;

const countingTimeoutMs = 10_000;

const visionTimeoutMs = 30_000;

const shopRequests = { concurrency: 16, maxWaiting: 64 };

const moving = ({ bytes }: { bytes: Uint8Array<ArrayBuffer> }, signal: AbortSignal) => ({
  timeoutMs: visionTimeoutMs,
  signal,
  transfer: [bytes.buffer],
});

/** Handles requests. There are as many of these threads as `THREADS` says, and they share one port. */
export const runHttp: Run = async ({ config, number, bus, logger, ...shared }) => {
  const stores = await composeStores(config, systemClock, { leavesCheckpoints: true });
  const metrics = createHttpMetrics();
  const delays = number === 0 ? addProcessMetrics(metrics.registry) : undefined;
  let missing: readonly string[] = [];
  bus.subscribe("missing", (value) => {
    missing = value;
  });
  let isDiskFull = false;
  bus.subscribe("diskFull", (value) => {
    isDiskFull = value;
  });
  addReadyGauge(metrics.registry, () => missing.length === 0);
  bus.replyToPoll("metrics", async () => metrics.registry.getMetricsAsJSON());
  const searchCluster = await openSearchCluster(config);
  const synonyms = await composeSynonymFollower(
    stores,
    {
      reads: number === 0,
      publish: (version) => bus.publish("synonymsVersion", version),
      subscribe: (receive) => bus.subscribe("synonymsVersion", receive),
    },
    (error) => logger.warn({ err: error }, "changes of synonyms cannot be read at the moment"),
  );
  let languages: readonly string[] | undefined;
  bus.subscribe("textIndex", (snapshot) => {
    languages = snapshot.languages;
  });
  const images = createImageCounter(metrics.registry);
  const rules = await composeRuleFollower(config, stores, {
    shared: {
      reads: number === 0,
      publish: (version) => bus.publish("rulesVersion", version),
      subscribe: (receive) => bus.subscribe("rulesVersion", receive),
    },
    textIndex: (receive) => bus.subscribe("textIndex", receive),
    onError: (error) => logger.warn({ err: error }, "changes of rules cannot be read at the moment"),
  });
  const searchCounter = composeSearchCounter(config, stores, {
    send: (searches) => {
      bus
        .call("countSearches", searches, { timeoutMs: countingTimeoutMs })
        .catch((error: unknown) => logger.warn({ err: error }, "some searches were not counted"));
    },
    addEvents: (events) => bus.call("countEvents", events, { timeoutMs: countingTimeoutMs }),
  });
  const reportEvent = composeEventReport((dropped) => logger.warn({ dropped }, "some events did not count"));
  const popularQueries = composePopularQueries(config, stores, (error) =>
    logger.warn({ err: error }, "popular queries cannot be read at the moment"),
  );
  const peers: Peers = {
    searchCounter,
    textIndex: (receive) => bus.subscribe("textIndex", receive),
    kinds: (receive) => bus.subscribe("kinds", receive),
    synonyms: synonyms.subscribe,
    rules: rules.current,
    searchCluster,
    longSearch: callLongSearch(bus),
    liveMarketplace: (marketplace) => ({
      search: (query, signal) => bus.call(marketplace, query, { timeoutMs: marketplaceTimeoutMs, signal }),
    }),
    vectors: (receive) => bus.subscribe("vectors", receive),
    searchedVectors: (receive) => bus.subscribe("searchedVectors", receive),
    describe: (image, signal) =>
      images.count("request", bus.call("describeImage", image, moving(image, signal))),
    detect: (image, signal) =>
      images.count("detection", bus.call("findObjects", image, moving(image, signal))),
  };

  const connectionBalancer = createConnectionBalancer(shared.utilizationMemory, number);
  const ports = tracePorts(config, composePorts(config, stores, peers));
  const limiter = await openLimiter(stores, { memory: shared.rateMemory, logger });
  const handlers = createHandlers({
    ...ports,
    popularQueries,
    onAnswer: metrics.countAnswer,
    onSearch: metrics.countSearch,
    onEvent: (outcome) => {
      metrics.countEvent(outcome);
      reportEvent(outcome);
    },
  });
  const app = await buildApp({
    config,
    handlers: config.tracing === undefined ? handlers : tracePort("feature", handlers),
    issuerHttp: composeIssuerHttp(config),
    site: composeSite(ports, stores),
    visible: ports,
    ...stores,
    people: composePeople(config, stores),
    limiter,
    connectionBalancer,
    consoleFiles: shared.consoleFiles,
    renderShop:
      config.shopToken === undefined
        ? undefined
        : callShopPage(bus, (error) => logger.warn({ err: error }, "the shop page was not rendered")),
    metrics,
    logger,
    state: {
      notReady: () => (missing.length === 0 ? undefined : `Waiting for ${missing.join(", ")}.`),
      warning: () =>
        isDiskFull
          ? "The disk of DATA_DIR is full: nothing can be stored until there is space. Searches go on."
          : undefined,
      languages: () => languages,
      metrics: () => bus.call("metrics", null, { timeoutMs: metricsTimeoutMs }),
    },
  });
  bus.serve("requestForShop", shopRequests, async ({ method, url, body, address, token }) => {
    const { statusCode, payload } = await app.inject({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== "" && { payload: body }),
      remoteAddress: address,
    });
    return { status: statusCode, body: payload };
  });
  // Fastify passes its options to the server; reusePort lets every thread listen on the same port.
  const address = { host: config.host, port: config.port, reusePort: config.threads > 1 };
  await app.listen(address);
  let requests = 0;
  const comparing = intervalWhile(compareEveryMs, () => {
    connectionBalancer.compare();
    const isBusy = requests > 0;
    if (!isBusy) delays?.disable();
    requests = 0;
    return isBusy;
  });
  app.server.on("request", () => {
    requests += 1;
    delays?.enable();
    comparing.start();
  });
  return {
    async stop() {
      comparing.stop();
      await app.close();
      searchCounter?.flush();
      synonyms.stop();
      rules.stop();
      popularQueries?.stop();
      await searchCluster?.close();
      await stores.close();
    },
  };
};

/** For one process, or for all nodes together. */
async function openLimiter(
  { clock, rateBudget }: Stores,
  { memory, logger }: { memory: SharedArrayBuffer; logger: Logger },
): Promise<RateLimiter> {
  const now = () => clock.now();
  if (rateBudget === undefined) return createRateLimiter(memory, now);
  const onError = (error: unknown) =>
    logger.warn({ err: error }, "limits of requests are not shared with the other nodes at the moment");
  return startClusterRateLimiter({ memory, now, budget: rateBudget, onError });
}
