import { type Transferable, Worker } from "node:worker_threads";
import { backoffMs } from "@product-search/core/mechanisms/retry.ts";
import { isDiskFull } from "@product-search/core/ports/disk-space.ts";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Message } from "./channel.ts";
import type { MessageBus } from "./message-bus.ts";

export const roles = [
  "catalog-copy",
  "delivery",
  "http",
  "import",
  "marketplace",
  "pictures",
  "text-index",
  "vector-file",
  "vision",
] as const;
export type Role = (typeof roles)[number];

/** The start parameters of a thread. */
export interface ThreadData {
  role: Role;
  number: number;
  config: Config;
  rateMemory: SharedArrayBuffer;
  utilizationMemory: SharedArrayBuffer;
  /** Of one build, also for a thread that starts again later. */
  consoleFiles: ReadonlyMap<string, Uint8Array> | undefined;
}

/** Messages of a thread to its supervisor, besides those over the bus. */
export type Report = { report: "ready" } | { report: "stopped" };
export type Order = { order: "stop" };
export type Envelope = { message: Message } | Report | Order;

const crashWindowMs = 60_000;
const maxCrashes = 5;
const maxPauseMs = 30_000;

export interface Supervisor {
  /** Starts the thread; resolves when it reports that it is ready. */
  start(role: Role, number: number): Promise<void>;
  /** The same for a thread that searches do not need: if it cannot start because the disk is full, it is started later. */
  startWhenPossible(role: Exclude<Role, "http">): Promise<void>;
  /** Asks all threads to finish their work, and ends those that do not finish in time. */
  stop(timeoutMs: number): Promise<void>;
}

/** Bundled, the entry of a thread is beside the code that starts it. */
const threadEntry = new URL(import.meta.url.endsWith(".ts") ? "./entry.ts" : "./entry.js", import.meta.url);

/** Runs threads, and restarts them when they crash: one bad request must not end the service. */
export function createSupervisor({
  bus,
  config,
  rateMemory,
  utilizationMemory,
  consoleFiles,
  logger,
  onFatal,
  entry = threadEntry,
}: {
  bus: MessageBus;
  config: Config;
  rateMemory: SharedArrayBuffer;
  utilizationMemory: SharedArrayBuffer;
  consoleFiles?: ThreadData["consoleFiles"];
  logger: Logger;
  /** Called when a thread that the service needs keeps crashing. */
  onFatal(reason: Error): void;
  /** The entry file of a thread; tests use their own. */
  entry?: URL;
}): Supervisor {
  const workers = new Set<Worker>();
  const crashes = new Map<Role, number[]>();
  let stopping = false;

  function start(role: Role, number: number): Promise<void> {
    const data: ThreadData = { role, number, config, rateMemory, utilizationMemory, consoleFiles };
    const worker = new Worker(entry, {
      workerData: data,
      name: `${role} ${number}`,
    });
    workers.add(worker);
    const disconnect = bus.connect({
      send: (message, transfer: readonly Transferable[] = []) =>
        worker.postMessage({ message }, [...transfer]),
      onMessage: (listener) =>
        void worker.on("message", (envelope: Envelope) => {
          if ("message" in envelope) listener(envelope.message);
        }),
    });
    return new Promise((resolve, reject) => {
      let ready = false;
      worker.on("message", (envelope: Envelope) => {
        if ("report" in envelope && envelope.report === "ready") {
          ready = true;
          resolve();
        }
      });
      worker.on("error", (error) => {
        if (ready) logger.error({ err: error, thread: worker.threadName ?? role }, "a thread crashed");
        else reject(error);
      });
      worker.on("exit", (code) => {
        workers.delete(worker);
        disconnect();
        if (stopping) return;
        if (!ready) reject(new Error(`The thread ${role} ended with code ${code} before it was ready.`));
        else restart(role, number);
      });
    });
  }

  function restart(role: Role, number: number): void {
    const now = Date.now();
    const recent = [...(crashes.get(role) ?? []), now].filter((at) => at > now - crashWindowMs);
    crashes.set(role, recent);
    // Searches work without the other threads. Those are restarted until they succeed, for example when a full disk has space
    // again or a marketplace sends valid responses.
    if (recent.length > maxCrashes && role === "http") {
      onFatal(new Error(`Threads of the role ${role} crashed ${recent.length} times in a minute.`));
      return;
    }
    setTimeout(
      () => {
        if (stopping) return;
        logger.warn({ thread: role }, "starting the thread again");
        start(role, number).catch((error: unknown) => {
          logger.error({ err: error, thread: role }, "the thread did not start");
          restart(role, number);
        });
      },
      backoffMs(recent.length, 100, maxPauseMs),
    );
  }

  return {
    start,
    async startWhenPossible(role) {
      try {
        await start(role, 0);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        logger.error({ err: error, thread: role }, "the thread did not start");
        restart(role, 0);
      }
    },
    async stop(timeoutMs) {
      stopping = true;
      const ended = [...workers].map(
        (worker) =>
          new Promise<void>((resolve) => {
            worker.once("exit", () => resolve());
            worker.postMessage({ order: "stop" } satisfies Envelope);
          }),
      );
      const late = setTimeout(() => {
        for (const worker of workers) {
          logger.warn({ thread: worker.threadName }, "did not stop in time");
          void worker.terminate();
        }
      }, timeoutMs);
      await Promise.all(ended);
      clearTimeout(late);
    },
  };
}
