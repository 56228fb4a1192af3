import { EventEmitter, once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFairQueue, type FairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import { type Actor, scopes as knownScopes } from "@product-search/core/ports/accounts.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Marketplace, MarketplaceSource } from "@product-search/core/ports/marketplace-source.ts";
import { createToken, type WantedToken } from "@product-search/features/accounts/accounts.ts";
import type { Handlers } from "@product-search/features/handler.ts";
import { createHandlers, type Ports } from "@product-search/features/handlers.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import type { Snapshot } from "@product-search/text-index";
import type { operations } from "@product-search/types";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { buildApp } from "../src/app.ts";
import { composeIssuerHttp } from "../src/compose/access.ts";
import { composeImages } from "../src/compose/images/keep-images.ts";
import { composeVectorFileBuilder, type VectorSegments } from "../src/compose/images/vector-file.ts";
import { composeVisionModels } from "../src/compose/images/vision-models.ts";
import { composeCountCollector, composeSearchCounter } from "../src/compose/insights.ts";
import { liveMarketplaces } from "../src/compose/live-marketplaces.ts";
import { composeMarketplace } from "../src/compose/marketplace.ts";
import { composeRuleFollower } from "../src/compose/merchandising.ts";
import { composePorts, composeSite, type ImageFeeds } from "../src/compose/ports.ts";
import { composeKindFollower, type KindsOfCatalog } from "../src/compose/search/kinds.ts";
import { composeTextIndex } from "../src/compose/search/text-index.ts";
import { composeSqliteStores, type SqliteStores } from "../src/compose/stores/sqlite-stores.ts";
import { type Config, readConfig } from "../src/config.ts";
import { type ConnectionLimits, connectionLimits } from "../src/http/connections/connection-limits.ts";
import { createHttpMetrics } from "../src/http/metrics.ts";
import { readConsole } from "../src/http/pages/console-pages.ts";

export interface TestService {
  app: FastifyInstance;
  config: Config;
  stores: SqliteStores;
  ports: Ports;
  clock: Clock & { nowMs: number };
  /** A new token of the account, which is created if needed. */
  token(options?: Partial<WantedToken>): Promise<string>;
  /** Resolves when searches see everything in the database. */
  indexed(): Promise<void>;
  /** Finds the kinds of the products that are now in the database. Searches by meaning use them. */
  findKinds(): Promise<void>;
  /** Resolves when all searches and events up to now are counted in the store. */
  counted(): Promise<void>;
  /** Starts to describe the catalog's images. Resolves when those in the database at the first call can be searched. */
  imaged(): Promise<void>;
  close(): Promise<void>;
}

export interface TestServiceOptions {
  environment?: Record<string, string>;
  ports?: (ports: Ports) => Ports;
  /** Replaces ports that use the database. */
  stores?: (stores: SqliteStores) => Partial<SqliteStores>;
  /** Replaces single handlers, to provoke responses that rarely happen. */
  handlers?: (handlers: Handlers<operations>) => Handlers<operations>;
  /** Decides which connections would move to another thread, although there is none here. */
  shouldMove?: (connection: object) => boolean;
  limits?: Partial<ConnectionLimits>;
  logger?: Logger;
  /** In which requests wait for their turn. By default none is refused because the machine is slow. */
  queue?: Pick<FairQueue, "run">;
  /** Of a console; by default there is none, so that no test depends on what is built beside the service. */
  consoleFolder?: string;
  /** How often images are tried again that are due by the clock. */
  lookForImagesEveryMs?: number;
}

/** The real service in this process, on a database in a new folder; only the clock stands still. */
export async function createTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const dataDir = mkdtempSync(join(tmpdir(), "product-search-test-"));
  const config = readConfig({
    DATA_DIR: dataDir,
    THREADS: "1",
    LOG_LEVEL: "silent",
    PUBLIC_URL: "http://service.test",
    ...options.environment,
  });
  const clock = {
    nowMs: Date.parse("2026-11-20T12:00:00Z"),
    now() {
      return this.nowMs;
    },
  };
  const opened = await composeSqliteStores(config, clock);
  const stores = { ...opened, ...options.stores?.(opened) };
  const textIndex = await followHere(config, stores);
  const live = await Promise.all(
    liveMarketplaces(config).map((one) => composeMarketplace(config, clock, one, () => {})),
  );
  const liveMarketplace = (marketplace: Marketplace): MarketplaceSource => {
    const source = live[liveMarketplaces(config).indexOf(marketplace)]?.source;
    if (!source) throw new Error(`${marketplace} is not live.`);
    return source;
  };
  const images = imagesHere(config, stores, options.lookForImagesEveryMs);
  const rules = await composeRuleFollower(config, stores, { onError: fail, pollMs: 5 });
  const kinds = kindsHere(config, stores);
  const collector = composeCountCollector(stores, fail, 1);
  const searchCounter = composeSearchCounter(config, stores, {
    send: collector.receive,
    addEvents: collector.addEvents,
  });
  const peers = {
    searchCounter,
    rules: rules.current,
    textIndex: textIndex.subscribe,
    kinds: kinds.subscribe,
    liveMarketplace,
    ...images.feeds,
  };
  const composed = composePorts(config, stores, peers);
  const ports = options.ports?.(composed) ?? composed;
  const metrics = createHttpMetrics();
  const handlers: Handlers<operations> = createHandlers({
    ...ports,
    onAnswer: metrics.countAnswer,
    onSearch: metrics.countSearch,
    onEvent: metrics.countEvent,
  });
  const app = await buildApp({
    ...stores,
    config,
    clock,
    monotonicMs: () => clock.now(),
    handlers: options.handlers?.(handlers) ?? handlers,
    issuerHttp: composeIssuerHttp(config),
    site: composeSite(ports, stores),
    visible: ports,
    limiter: createRateLimiter(createRateMemory(8192), () => clock.now()),
    connectionBalancer: { shouldMove: options.shouldMove ?? (() => false) },
    metrics,
    consoleFiles: options.consoleFolder === undefined ? undefined : readConsole(options.consoleFolder),
    limits: { ...connectionLimits, ...options.limits },
    queue: options.queue ?? createFairQueue({ maxWaitMs: 300_000 }),
    logger: options.logger ?? pino({ level: "silent" }),
    state: { notReady: () => undefined, metrics: () => metrics.registry.metrics() },
  });
  return {
    app,
    config,
    stores,
    ports,
    clock,
    async token({ scopes = knownScopes, account = "tester", ...more } = {}) {
      const wanted = { account, scopes, ...more };
      return (await createToken(stores, testActor, wanted)).token;
    },
    indexed: textIndex.caughtUp,
    findKinds: kinds.find,
    async counted() {
      searchCounter?.flush();
      await collector.storeAll();
    },
    imaged: images.imaged,
    async close() {
      await app.close();
      for (const { close } of live) await close();
      rules.stop();
      await collector.stop();
      await textIndex.stop();
      await images.stop();
      await stores.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The actor for tokens that tests create. */
export const testActor: Actor = { kind: "command", user: "tester", host: "here" };

function fail(error: unknown): never {
  throw error;
}

/** What the text index thread does, on this one. */
async function followHere(config: Config, stores: SqliteStores) {
  const snapshots = new EventEmitter<{ snapshot: [Snapshot] }>();
  let latest: Snapshot | undefined;
  const follower = await composeTextIndex(config, stores, {
    publish(snapshot) {
      latest = snapshot;
      snapshots.emit("snapshot", snapshot);
    },
    onSaveError: fail,
    onError: fail,
    onSearchCluster: () => {},
  });
  return {
    subscribe(receive: (snapshot: Snapshot) => void) {
      snapshots.on("snapshot", receive);
      if (latest !== undefined) receive(latest);
    },
    async caughtUp() {
      const wanted = await stores.catalogStore.lastSequence();
      while ((latest?.sequence ?? 0) < wanted) await once(snapshots, "snapshot");
    },
    stop: follower.stop,
  };
}

/** What the text index thread does with kinds, but only on request. */
function kindsHere(config: Config, stores: SqliteStores) {
  const found = new EventEmitter<{ kinds: [KindsOfCatalog] }>();
  return {
    subscribe(receive: (kinds: KindsOfCatalog) => void) {
      found.on("kinds", receive);
    },
    async find() {
      const published = once(found, "kinds");
      const follower = composeKindFollower(config, stores, (kinds) => found.emit("kinds", kinds), fail);
      await published;
      await follower.stop();
    },
  };
}

let loaded: ReturnType<typeof composeVisionModels> | undefined;

interface ImagesHere {
  feeds: ImageFeeds;
  /** Starts to describe the catalog's images. Resolves when all images in the database can be searched. */
  imaged(): Promise<void>;
  stop(): Promise<void>;
}

/** Does the work of the vision threads and of the vector thread on this thread. */
function imagesHere(config: Config, stores: SqliteStores, lookEveryMs: number | undefined): ImagesHere {
  const published = new EventEmitter<{ vectors: [VectorSegments] }>();
  let latest: VectorSegments | undefined;
  // Loaded on first use, because it takes a moment and most tests need no images.
  const models = () => {
    loaded ??= composeVisionModels(config, (error) => {
      throw error;
    });
    return loaded;
  };
  const see = async () => (await models())[0].see;
  const start = async () =>
    composeImages(config, stores, {
      models: await models(),
      concurrency: 2,
      lookEveryMs,
      describe: async (bytes, signal) => (await see()).describe(bytes, signal),
      buildFile: composeVectorFileBuilder(config, stores),
      publishSearched: () => {},
      publish(segments) {
        latest = segments;
        published.emit("vectors", segments);
      },
      onProgress: () => {},
      onError: (error) => {
        throw error;
      },
    });
  let keeper: ReturnType<typeof start> | undefined;
  return {
    feeds: {
      vectors(receive) {
        published.on("vectors", receive);
        if (latest !== undefined) receive(latest);
      },
      describe: async ({ bytes }, signal) => (await see()).describe(bytes, signal),
      detect: async ({ bytes }, signal) => (await see()).detect(bytes, signal),
    },
    async imaged() {
      keeper ??= start();
      await (await keeper).ready;
    },
    async stop() {
      await (await keeper)?.stop();
    },
  };
}
