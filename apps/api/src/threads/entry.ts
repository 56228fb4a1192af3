import "../compile-cache.ts";
import { parentPort, workerData } from "node:worker_threads";
import { createLogger } from "../logger.ts";
import { createLink } from "./link.ts";
import type { Envelope, Role, ThreadData } from "./supervisor.ts";
import type { Run, RunningThread } from "./thread.ts";
import { yieldToOthers } from "./yield-to-others.ts";

/** Loaded by the thread that needs it: each role's code is tens of megabytes in every thread that loads it. */
const runs: Record<Role, () => Promise<Run>> = {
  delivery: async () => (await import("./run-delivery.ts")).runDelivery,
  http: async () => (await import("./run-http.ts")).runHttp,
  import: async () => (await import("./run-import.ts")).runImport,
  marketplace: async () => (await import("./run-marketplace.ts")).runMarketplace,
  pictures: async () => (await import("./run-pictures.ts")).runPictures,
  "text-index": async () => (await import("./run-text-index.ts")).runTextIndex,
  "vector-file": async () => (await import("./run-vector-file.ts")).runVectorFile,
  vision: async () => (await import("./run-vision.ts")).runVision,
};

/** Searches of text go before all that these do. */
const background: readonly Role[] = ["import", "pictures", "text-index", "vector-file", "vision"];

const port = parentPort;
if (!port) throw new Error("This file is started by the supervisor, as a thread.");
const data: ThreadData = workerData;
if (background.includes(data.role)) yieldToOthers();
const logger = createLogger(data.config).child({ thread: `${data.role} ${data.number}` });
const link = createLink({
  post: (message, transfer = []) => port.postMessage({ message } satisfies Envelope, [...transfer]),
  listen: (listener) =>
    void port.on("message", (envelope: Envelope) => {
      if ("message" in envelope) listener(envelope.message);
    }),
});

let running: RunningThread | undefined;
port.on("message", (envelope: Envelope) => {
  if (!("order" in envelope)) return;
  // What is still starting has nothing to finish; the store bears being left at any moment.
  if (!running) process.exit();
  running
    .stop()
    .catch((error: unknown) => logger.error({ err: error }, "the thread did not stop cleanly"))
    .finally(() => port.close());
});
const run = await runs[data.role]();
running = await run({ ...data, link, logger });
port.postMessage({ report: "ready" } satisfies Envelope);
