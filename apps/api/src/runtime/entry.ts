import "./compile-cache.ts";
import { parentPort, workerData } from "node:worker_threads";
import { wantsStacks } from "../config.ts";
import { createBusClient } from "./bus-client.ts";
import { createLogger } from "./logger.ts";
import type { Run, RunningThread } from "./role.ts";
import type { Envelope, Role, ThreadData } from "./supervisor.ts";
import { lowerPriority } from "./thread-priority.ts";
import { startTracing } from "./tracing/start-tracing.ts";

/** Each thread loads only the code of its role: the code of a role takes tens of megabytes per thread. */
const runs: Record<Role, () => Promise<Run>> = {
  "catalog-copy": async () => (await import("./roles/catalog-copy.ts")).runCatalogCopy,
  delivery: async () => (await import("./roles/delivery.ts")).runDelivery,
  http: async () => (await import("./roles/http.ts")).runHttp,
  import: async () => (await import("./roles/import.ts")).runImport,
  marketplace: async () => (await import("./roles/marketplace.ts")).runMarketplace,
  pictures: async () => (await import("./roles/pictures.ts")).runPictures,
  "text-index": async () => (await import("./roles/text-index.ts")).runTextIndex,
  "vector-file": async () => (await import("./roles/vector-file.ts")).runVectorFile,
  vision: async () => (await import("./roles/vision.ts")).runVision,
};

/** Searches of text go before all that these do. */
const background: readonly Role[] = [
  "catalog-copy",
  "import",
  "pictures",
  "text-index",
  "vector-file",
  "vision",
];

if (wantsStacks()) process.setSourceMapsEnabled(true);
const port = parentPort;
if (!port) throw new Error("This file is started by the supervisor, as a thread.");
const data: ThreadData = workerData;
if (background.includes(data.role)) lowerPriority();
const logger = createLogger(data.config).child({ thread: `${data.role} ${data.number}` });
const bus = createBusClient({
  send: (message, transfer = []) => port.postMessage({ message } satisfies Envelope, [...transfer]),
  onMessage: (listener) =>
    void port.on("message", (envelope: Envelope) => {
      if ("message" in envelope) listener(envelope.message);
    }),
});

const { tracing } = data.config;
const stopTracing = tracing && (await startTracing(tracing, `${data.role} ${data.number}`));

let running: RunningThread | undefined;
port.on("message", (envelope: Envelope) => {
  if (!("order" in envelope)) return;
  // A role that is still starting has nothing to finish, and the database may be closed at any moment.
  if (!running) process.exit();
  running
    .stop()
    .catch((error: unknown) => logger.error({ err: error }, "the thread did not stop cleanly"))
    .then(stopTracing)
    .catch((error: unknown) => logger.warn({ err: error }, "the last spans were not sent"))
    .finally(() => port.close());
});
const run = await runs[data.role]();
running = await run({ ...data, bus, logger });
port.postMessage({ report: "ready" } satisfies Envelope);
