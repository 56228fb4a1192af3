import { parentPort, workerData } from "node:worker_threads";
import { createLogger } from "../logger.ts";
import { createLink } from "./link.ts";
import { runDelivery } from "./run-delivery.ts";
import { runHttp } from "./run-http.ts";
import { runImport } from "./run-import.ts";
import { runMarketplace } from "./run-marketplace.ts";
import { runPictures } from "./run-pictures.ts";
import { runTextIndex } from "./run-text-index.ts";
import { runVectorFile } from "./run-vector-file.ts";
import { runVision } from "./run-vision.ts";
import type { Envelope, Role, ThreadData } from "./supervisor.ts";
import type { Run } from "./thread.ts";

const runs: Record<Role, Run> = {
  delivery: runDelivery,
  http: runHttp,
  pictures: runPictures,
  import: runImport,
  "text-index": runTextIndex,
  marketplace: runMarketplace,
  "vector-file": runVectorFile,
  vision: runVision,
};

const port = parentPort;
if (!port) throw new Error("This file is started by the supervisor, as a thread.");
const data: ThreadData = workerData;
const logger = createLogger(data.config).child({ thread: `${data.role} ${data.number}` });
const link = createLink({
  post: (message, transfer = []) => port.postMessage({ message } satisfies Envelope, [...transfer]),
  listen: (listener) =>
    void port.on("message", (envelope: Envelope) => {
      if ("message" in envelope) listener(envelope.message);
    }),
});

const running = await runs[data.role]({ ...data, link, logger });
port.on("message", (envelope: Envelope) => {
  if (!("order" in envelope)) return;
  running
    .stop()
    .catch((error: unknown) => logger.error({ err: error }, "the thread did not stop cleanly"))
    .finally(() => port.close());
});
port.postMessage({ report: "ready" } satisfies Envelope);
