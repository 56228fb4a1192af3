import { recordOf } from "@product-search/core/domain/record-of.ts";
import { marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import "./compile-cache.ts";
import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { showsStacks } from "../config.ts";
import { createBusClient, type Message } from "./bus-client.ts";
import { collectWhenIdle } from "./collect-when-idle.ts";
import { createLogger } from "./logger.ts";
import { memoryMetrics } from "./memory-metrics.ts";
import { runPart, stopAll } from "./part-runner.ts";
import type { Run, RunningPart } from "./role.ts";
import type { Envelope, Part, Role, ThreadData } from "./supervisor.ts";
import { lowerPriority } from "./thread-priority.ts";
import { startTracing } from "./tracing/start-tracing.ts";

/** Each thread loads only the code of its parts: the code of a part takes tens of megabytes. */
const runs: Record<Exclude<Part, "memory">, () => Promise<Run>> = {
  backups: async () => (await import("./roles/backups.ts")).runBackups,
  "catalog-copy": async () => (await import("./roles/catalog-copy.ts")).runCatalogCopy,
  delivery: async () => (await import("./roles/delivery.ts")).runDelivery,
  http: async () => (await import("./roles/http.ts")).runHttp,
  import: async () => (await import("./roles/import.ts")).runImport,
  "index-part": async () => (await import("./roles/index-part.ts")).runIndexPart,
  insights: async () => (await import("./roles/insights.ts")).runInsights,
  "long-search": async () => (await import("./roles/long-search.ts")).runLongSearch,
  ...recordOf(marketplaces, () => async () => (await import("./roles/marketplace.ts")).runMarketplace),
  pictures: async () => (await import("./roles/images.ts")).runImages,
  "shop-page": async () => (await import("./roles/shop-page.ts")).runShopPage,
  "text-index": async () => (await import("./roles/text-index.ts")).runTextIndex,
  "vector-file": async () => (await import("./roles/vector-file.ts")).runVectorFile,
  vision: async () => (await import("./roles/vision.ts")).runVision,
};

/** Searches of text go before all that these do. */
const background: readonly Role[] = ["heavy", "index-part", "shop-page", "vector-file", "vision"];

if (showsStacks()) process.setSourceMapsEnabled(true);
const port = parentPort;
if (!port) throw new Error("This file is started by the supervisor, as a thread.");
const data: ThreadData = workerData;
const thread = `${data.role} ${data.number}`;
if (background.includes(data.role)) lowerPriority();
const logger = createLogger(data.config).child({ thread });
const send = (envelope: Envelope, transfer: Transferable[] = []) => port.postMessage(envelope, transfer);

const listeners = new Map<Part, (message: Message) => void>();
const parts: RunningPart[] = [];
const { tracing } = data.config;
const stopTracing = tracing && (await startTracing(tracing, thread));

port.on("message", (envelope: Envelope) => {
  if ("message" in envelope) listeners.get(envelope.part)?.(envelope.message);
  if (!("order" in envelope)) return;
  const areAllStarted = parts.length === data.parts.length;
  stopAll(parts)
    .catch((error: unknown) => logger.error({ err: error }, "the thread did not stop cleanly"))
    .then(stopTracing)
    .catch((error: unknown) => logger.warn({ err: error }, "the last spans were not sent"))
    // A part that is still starting has nothing to finish, and the database may be closed at any moment.
    .finally(() => (areAllStarted ? port.close() : process.exit()));
});

collectWhenIdle();
connectPart("memory").bus.replyToPoll("metrics", async () => memoryMetrics(thread));
await Promise.all(
  data.parts.map(async (part) => {
    if (part === "memory") return;
    const run = await runs[part]();
    const partLogger = part === data.role ? logger : logger.child({ part });
    let connection = connectPart(part);
    parts.push(
      await runPart({
        start(fail) {
          if (connection.isClosed()) connection = connectPart(part);
          return run({ ...data, part, bus: connection.bus, logger: partLogger, fail });
        },
        onStopped() {
          connection.close();
          send({ report: "part stopped", part });
        },
        // Without its HTTP threads there is no service.
        canWait: part !== "http",
        logger: partLogger,
      }),
    );
  }),
);
send({ report: "ready" });

/** The connection of a part to the bus. A part that starts again has a new one. */
function connectPart(part: Part) {
  let isClosed = false;
  const bus = createBusClient({
    send(message, transfer = []) {
      if (!isClosed) send({ part, message }, [...transfer]);
    },
    onMessage: (listener) => void listeners.set(part, listener),
  });
  return {
    bus,
    isClosed: () => isClosed,
    close() {
      isClosed = true;
    },
  };
}
