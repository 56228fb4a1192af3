import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import { devNull } from "node:os";
import { shareRunning } from "@product-search/core/mechanisms/share-in-flight.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import { createReadDiskSpace, keepSpareFile } from "@product-search/stores/database/disk-space.ts";
import type { Logger } from "pino";
import { assertBackupFolder } from "../../compose/backup.ts";
import { checkMarketplaces } from "../../compose/check-marketplaces.ts";
import { liveMarketplaces } from "../../compose/live-marketplaces.ts";
import { composeGcPressure } from "../../compose/search/gc-pressure.ts";
import { noteServingAddress } from "../../compose/serving-address.ts";
import { checkStore } from "../../compose/start-checks.ts";
import type { Config } from "../../config.ts";
import { createClusterRateMemory } from "../../http/access/cluster-rate-limiter.ts";
import { createUtilizationMemory } from "../../http/connections/connection-balancer.ts";
import { mergeMetrics } from "../../http/metrics.ts";
import { startMetricsServer } from "../../http/metrics-server.ts";
import { readPages } from "../../http/pages/console-pages.ts";
import type { BusClient } from "../bus-client.ts";
import { createLogger } from "../logger.ts";
import { memoryMetrics } from "../memory-metrics.ts";
import { createMessageBus } from "../message-bus.ts";
import { createSupervisor, type Part } from "../supervisor.ts";

/** Measured: 59, plus 14 per thread, without connections. Live marketplaces and large indexes need more. */
const ofService = 80;

const perThread = 20;

/** For clients, deliveries and images in progress. */
const forConnections = 256;

export interface RunningService {
  /** The base URL of the service, with the port that was actually used. */
  publicUrl: string;
  /** Resolves when text and images can be searched. The callback gets what is missing whenever that changes. */
  untilReady(onMissing: (parts: readonly string[]) => void): Promise<void>;
  /** Stops accepting requests, finishes those in progress, and ends every thread. */
  stop(): Promise<void>;
}

const drainMs = 10_000;
/** Starting a thread takes some tenths of a second: not for each image. */
const idleThreadMs = 60_000;
const pollMs = 1500;
const watchDiskEveryMs = 5000;
/** Less than what SQLite writes to its log for a batch of changes. */
const fullBelowBytes = 4 * 1024 * 1024;

/** The whole service. The main thread only supervises; the other threads do all the work. */
export async function runService(
  settings: Config,
  onFatal: (reason: Error) => void,
): Promise<RunningService> {
  await checkMarketplaces(settings);
  assertOpenFiles(settings.threads);
  await checkStore(settings);
  if (settings.backups !== undefined) await assertBackupFolder(settings.backups);
  const config = await takePort(settings);
  const logger = createLogger(config);
  const bus = createMessageBus();
  const supervisor = createSupervisor({
    bus,
    config,
    rateMemory: config.databaseUrl === undefined ? createRateMemory() : createClusterRateMemory(),
    utilizationMemory: createUtilizationMemory(config.threads),
    consoleFiles: readPages(),
    logger,
    onFatal,
  });
  // A thread that is busy delays all requests for metrics once.
  const gatherMetrics = shareRunning(async () =>
    mergeMetrics([memoryMetrics("main"), ...(await bus.poll("metrics", pollMs)).filter(isList)]),
  );
  bus.client.serve("metrics", { concurrency: 20, maxWaiting: 20 }, gatherMetrics);
  const metricsServer = await openMetricsServer(config, gatherMetrics);
  const missing = createMissing(bus.client);
  bus.client.subscribe("textIndex", composeGcPressure());
  if (config.databaseUrl === undefined)
    bus.client.subscribe("textIndexEpoch", () => missing("text", undefined));
  else watchCatalogCopy(bus.client, missing);
  bus.client.subscribe("searchCluster", ({ isReached }) =>
    missing("search", isReached ? undefined : "OpenSearch"),
  );
  bus.client.subscribe("imagesMissing", (part) => missing("pictures", part));
  const startVision = supervisor.startOnDemand("vision", {
    services: ["visionModels", "describeImage", "findObjects", "describeCatalogImage"],
    maxThreads: config.threads,
    idleMs: idleThreadMs,
  });
  supervisor.startOnDemand("index-part", {
    services: ["buildIndexPart"],
    maxThreads: 1,
    // Its memory is needed to merge the parts.
    idleMs: 1000,
  });
  supervisor.startOnDemand("long-search", {
    services: ["searchLong", "suggestLong", "findBrandsLong"],
    maxThreads: 1,
    idleMs: idleThreadMs,
  });
  supervisor.startOnDemand("shop-page", {
    services: ["renderShop"],
    maxThreads: 1,
    idleMs: idleThreadMs,
  });
  supervisor.startOnDemand("vector-file", {
    services: ["buildVectorFile"],
    maxThreads: 1,
    idleMs: idleThreadMs,
  });
  // A model that cannot be loaded must not be noticed only by the first image.
  const visionStart = (config.visionModel ?? config.visionDetector) ? startVision() : Promise.resolve();
  // Threads that need the model may fail before it does, and know no reason: its own is reported.
  const reasonOf = <Reason>(error: Reason): Promise<Reason> =>
    visionStart.then(
      () => error,
      (reason: Reason) => reason,
    );
  // Starts first, because it takes longest. Requests that need no index are served meanwhile; the others get 503.
  supervisor
    .start("heavy", 0, ["text-index", "pictures", "import"])
    .catch(async (error: Error) => onFatal(await reasonOf(error)));
  try {
    await Promise.all([
      supervisor.start("waiting", 0, partsThatWait(config)),
      ...Array.from({ length: config.threads }, (_, number) => supervisor.start("http", number, ["http"])),
      visionStart,
    ]);
  } catch (error) {
    // Before the threads are stopped: one that is stopped while it starts gives no reason.
    const reason = await reasonOf(error);
    await metricsServer?.close();
    await supervisor.stop(drainMs);
    throw reason;
  }
  const removeNote = await noteServingAddress(config);
  const stopWatching = watchDisk(config, bus.client, missing, logger);
  logger.info({ url: config.publicUrl, threads: config.threads }, "serving");
  return {
    publicUrl: config.publicUrl,
    untilReady: (onMissing) =>
      new Promise((resolve) =>
        bus.client.subscribe("missing", (parts) => (parts.length === 0 ? resolve() : onMissing(parts))),
      ),
    async stop() {
      stopWatching();
      await removeNote().catch(() => {});
      await metricsServer?.close();
      await supervisor.stop(drainMs);
      // If there is no space even for this, another process has taken what the store has just freed.
      await keepSpareFile(config.dataDir, createReadDiskSpace(config.dataDir), true).catch(() => {});
    },
  };
}

/** Publishes whether the disk is full. Keeps spare space with which a full one can be read at the next start. */
function watchDisk(
  { dataDir }: Config,
  { publish }: BusClient,
  missing: Missing,
  logger: Logger,
): () => void {
  const readDiskSpace = createReadDiskSpace(dataDir);
  let wasFull = false;
  const look = async () => {
    const { free } = await readDiskSpace();
    const isFull = free < fullBelowBytes;
    if (isFull !== wasFull) {
      publish("diskFull", isFull);
      missing.setDiskFull(isFull);
      if (isFull)
        logger.error({ dataDir, free }, "the disk is full: nothing can be stored until there is space");
      else logger.info({ dataDir, free }, "the disk has space again");
    }
    wasFull = isFull;
    await keepSpareFile(dataDir, readDiskSpace);
  };
  const lookAgain = () =>
    void look().catch((err: unknown) => logger.warn({ err }, "the disk space cannot be read"));
  lookAgain();
  const looking = setInterval(lookAgain, watchDiskEveryMs);
  return () => clearInterval(looking);
}

/** A port that few clients reach needs few counters. */
const metricsRateSlots = 4096;

/** Serves metrics if they have their own port. Otherwise the HTTP threads serve them. */
async function openMetricsServer(
  { host, metricsPort: port, metricsToken: token, pageRateLimit }: Config,
  metrics: () => Promise<string>,
): Promise<{ close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  const limiter = createRateLimiter(createRateMemory(metricsRateSlots), Date.now);
  return startMetricsServer({ host, port, token, metrics, limiter, pageRateLimit });
}

/** What mostly waits for others, and so delays nothing in the same thread. */
function partsThatWait(config: Config): Part[] {
  return [
    ...(config.databaseUrl === undefined ? [] : ["catalog-copy" as const]),
    ...(config.backups === undefined ? [] : ["backups" as const]),
    ...liveMarketplaces(config),
    "insights",
    "delivery",
  ];
}

interface Missing {
  (part: "text" | "pictures" | "database" | "search", what: string | undefined): void;
  /** While the disk is full, images cannot be prepared: the service counts as ready without them. */
  setDiskFull(isFull: boolean): void;
}

/** An index of a former copy does not count. */
function watchCatalogCopy({ subscribe }: BusClient, missing: Missing): void {
  let indexEpoch: string | undefined;
  let copyEpoch: string | undefined;
  let build: string | undefined;
  const compare = () => {
    const what = build === undefined ? "the text index" : `the text index (${build})`;
    missing("text", indexEpoch === copyEpoch ? undefined : what);
  };
  subscribe("textIndexBuild", (text) => {
    build = text;
    compare();
  });
  subscribe("textIndexEpoch", (epoch) => {
    indexEpoch = epoch;
    compare();
  });
  subscribe("catalogCopy", ({ isReached, missing: changes, epoch }) => {
    copyEpoch = epoch;
    compare();
    if (!isReached) missing("database", "PostgreSQL");
    else
      missing("database", changes === undefined ? undefined : `the copy of the catalog (${changes} changes)`);
  });
}

/** Tracks what the service waits for before it is ready, and publishes it to all threads. */
function createMissing({ publish }: BusClient): Missing {
  const missing = new Map<string, string>();
  let isDiskFull = false;
  const tell = () => {
    const counted = [...missing].filter(([part]) => part !== "pictures" || !isDiskFull);
    publish(
      "missing",
      counted.map(([, what]) => what),
    );
  };
  const set = (part: string, what: string | undefined) => {
    if (missing.get(part) === what) return;
    if (what === undefined) missing.delete(part);
    else missing.set(part, what);
    tell();
  };
  set("text", "the text index");
  set("pictures", "the index of images");
  return Object.assign(set, {
    setDiskFull(isFull: boolean) {
      isDiskFull = isFull;
      tell();
    },
  });
}

function isList(answer: unknown): answer is object[] {
  return Array.isArray(answer);
}

/** Fails at once if the port is taken, and resolves port 0 before several threads listen on it. */
async function takePort(config: Config): Promise<Config> {
  const probe = createServer();
  const port = await new Promise<number>((resolve, reject) => {
    probe.once("error", (error: NodeJS.ErrnoException) => {
      const remedy =
        error.code === "EADDRINUSE"
          ? "is used by another process: stop it, or set PORT to another port"
          : `cannot be listened on (${error.code}): set HOST and PORT to an address of this machine`;
      reject(new Error(`${config.host}:${config.port} ${remedy}.`, { cause: error }));
    });
    probe.listen(config.port, config.host, () => {
      const address = probe.address();
      resolve(typeof address === "object" && address ? address.port : config.port);
    });
  });
  await new Promise((resolve) => probe.close(resolve));
  if (port === config.port) return config;
  return Object.freeze({ ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) });
}

/**
 * Refuses to start if the process may open too few files: otherwise threads would fail one after the other, some of them
 * after the service has reported that it is ready. There is no portable way to read the limit, so it opens files.
 */
function assertOpenFiles(threads: number): void {
  const needed = ofService + perThread * threads + forConnections;
  const opened: number[] = [];
  try {
    while (opened.length < needed) opened.push(openSync(devNull, "r"));
  } catch (cause) {
    throw new Error(
      `This process may open only ${opened.length} more files; with THREADS=${threads} the service needs ${needed}. ` +
        "Raise the limit (`ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit, --ulimit nofile=4096 for a container), or set THREADS lower.",
      { cause },
    );
  } finally {
    for (const file of opened) closeSync(file);
  }
}
