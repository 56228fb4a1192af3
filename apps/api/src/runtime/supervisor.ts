import { type Transferable, Worker } from "node:worker_threads";
import { backoffMs } from "@product-search/core/mechanisms/retry.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import type { Message } from "./bus-client.ts";
import type { Connection, MessageBus } from "./message-bus.ts";

/** A thread runs the parts of its role. */
export const roles = [
  "heavy",
  "http",
  "index-part",
  "long-search",
  "shop-page",
  "vector-file",
  "vision",
  "waiting",
] as const;
export type Role = (typeof roles)[number];

/** Has its own connection to the message bus, and is started again by itself when it fails. */
export type Part =
  | "backups"
  | "catalog-copy"
  | "delivery"
  | "http"
  | "import"
  | "index-part"
  | "insights"
  | "long-search"
  | Marketplace
  | "memory"
  | "pictures"
  | "shop-page"
  | "text-index"
  | "vector-file"
  | "vision";

/** The start parameters of a thread. */
export interface ThreadData {
  role: Role;
  number: number;
  parts: readonly Part[];
  config: Config;
  rateMemory: SharedArrayBuffer;
  utilizationMemory: SharedArrayBuffer;
  /** Of one build, also for a thread that starts again later. */
  consoleFiles: ReadonlyMap<string, Uint8Array> | undefined;
}

/** Messages of a thread to its supervisor, besides those over the bus. */
export type Report = { report: "ready" } | { report: "part stopped"; part: Part };
export type Order = { order: "stop" };
export type Envelope = { part: Part; message: Message } | Report | Order;

const crashWindowMs = 60_000;
const maxCrashes = 5;
const maxPauseMs = 30_000;

export interface OnDemandThreads {
  /** Calls of these services start a thread. */
  services: readonly string[];
  maxThreads: number;
  /** A thread ends after this time without a call. */
  idleMs: number;
}

export interface Supervisor {
  /** Starts the thread; resolves when it reports that all its parts are ready. */
  start(role: Role, number: number, parts: readonly Part[]): Promise<void>;
  /** Threads of a part that run only while they are called. The returned function starts one at once. */
  startOnDemand(role: Role & Part, settings: OnDemandThreads): () => Promise<void>;
  /** Asks all threads to finish their work, and ends those that do not finish in time. */
  stop(timeoutMs: number): Promise<void>;
}

/** Bundled, the entry of a thread is beside the code that starts it. */
const threadEntry = new URL(import.meta.url.endsWith(".ts") ? "./entry.ts" : "./entry.js", import.meta.url);

interface Thread {
  worker: Worker;
  /** Rejects if the thread ends before it is ready. */
  ready: Promise<void>;
  connections: Map<Part, Connection>;
  /** No calls go to it any more. */
  disconnect(): void;
}

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
  firstPauseMs = 100,
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
  /** The pause after the first crash: it doubles with each. Tests give a shorter one. */
  firstPauseMs?: number;
}): Supervisor {
  const workers = new Set<Worker>();
  const crashes = new Map<Role, number[]>();
  let stopping = false;

  /** `onEnd` is called when a thread that was ready has ended, unless the service stops. */
  function startThread(role: Role, number: number, parts: readonly Part[], onEnd: () => void): Thread {
    const data: ThreadData = { role, number, parts, config, rateMemory, utilizationMemory, consoleFiles };
    const worker = new Worker(entry, {
      workerData: data,
      name: `${role} ${number}`,
      // Where no request waits, collecting young objects more often is worth the memory.
      ...(role !== "http" && { resourceLimits: { maxYoungGenerationSizeMb: 12 } }),
    });
    workers.add(worker);
    const { connections, receive, disconnect } = connectParts(bus, worker, parts);
    const ready = new Promise<void>((resolve, reject) => {
      let isReady = false;
      worker.on("message", (envelope: Envelope) => {
        receive(envelope);
        if ("report" in envelope && envelope.report === "ready") {
          isReady = true;
          resolve();
        }
      });
      worker.on("error", (error) => {
        if (isReady) logger.error({ err: error, thread: worker.threadName ?? role }, "a thread crashed");
        else reject(error);
      });
      worker.on("exit", (code) => {
        workers.delete(worker);
        disconnect();
        // While the service stops, the reason is another one.
        if (stopping) return;
        if (isReady) onEnd();
        else reject(new Error(`The thread ${role} ended with code ${code} before it was ready.`));
      });
    });
    return { worker, ready, connections, disconnect };
  }

  /** The pause before the thread is started again; undefined if the service cannot go on. */
  function pauseAfterCrash(role: Role): number | undefined {
    const now = performance.now();
    const recent = [...(crashes.get(role) ?? []), now].filter((at) => at > now - crashWindowMs);
    crashes.set(role, recent);
    // Searches work without the other threads. Those are restarted until they succeed, for example when a marketplace sends
    // valid responses again.
    if (recent.length > maxCrashes && role === "http") {
      onFatal(new Error(`Threads of the role ${role} crashed ${recent.length} times in a minute.`));
      return undefined;
    }
    return backoffMs(recent.length, firstPauseMs, maxPauseMs);
  }

  function start(role: Role, number: number, parts: readonly Part[]): Promise<void> {
    return startThread(role, number, parts, () => restart(role, number, parts)).ready;
  }

  function restart(role: Role, number: number, parts: readonly Part[]): void {
    const pauseMs = pauseAfterCrash(role);
    if (pauseMs === undefined) return;
    setTimeout(() => {
      if (stopping) return;
      logger.warn({ thread: role }, "starting the thread again");
      start(role, number, parts).catch((error: unknown) => {
        if (stopping) return;
        logger.error({ err: error, thread: role }, "the thread did not start");
        restart(role, number, parts);
      });
    }, pauseMs);
  }

  function startOnDemand(
    role: Role & Part,
    { services, maxThreads, idleMs }: OnDemandThreads,
  ): () => Promise<void> {
    const threads = new Map<number, Thread>();
    let starting: Promise<void> | undefined;
    let looking: NodeJS.Timeout | undefined;
    let notBeforeMs = Number.NEGATIVE_INFINITY;
    const crashed = () => {
      notBeforeMs = performance.now() + (pauseAfterCrash(role) ?? 0);
    };
    const startOne = (): Promise<void> => {
      let number = 0;
      while (threads.has(number)) number += 1;
      const thread = startThread(role, number, [role], () => {
        // A thread that was stopped because it was idle is no longer in the map.
        if (threads.get(number) !== thread) return;
        threads.delete(number);
        crashed();
      });
      threads.set(number, thread);
      looking ??= setInterval(endIdle, Math.min(1000, idleMs)).unref();
      starting = thread.ready.finally(() => {
        starting = undefined;
      });
      return starting.catch((error: unknown) => {
        threads.delete(number);
        crashed();
        bus.refuseWaiting(services);
        throw error;
      });
    };
    bus.serveOnDemand(services, () => {
      if (starting || stopping || threads.size >= maxThreads) return;
      if (performance.now() < notBeforeMs) {
        if (threads.size === 0) bus.refuseWaiting(services);
        return;
      }
      startOne().catch((error: unknown) => {
        if (!stopping) logger.error({ err: error, thread: role }, "the thread did not start");
      });
    });
    const endIdle = () => {
      if (stopping) return clearInterval(looking);
      for (const [number, thread] of threads) {
        const idleSince = thread.connections.get(role)?.idleSince();
        if (idleSince === undefined || performance.now() - idleSince < idleMs) continue;
        threads.delete(number);
        thread.disconnect();
        thread.worker.postMessage({ order: "stop" } satisfies Envelope);
      }
      if (threads.size > 0) return;
      clearInterval(looking);
      looking = undefined;
    };
    return startOne;
  }

  return {
    start,
    startOnDemand,
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

/** Each part has its own connection to the bus: when it stops, its callers stop waiting, and the other parts go on. */
function connectParts(
  bus: MessageBus,
  worker: Worker,
  parts: readonly Part[],
): { connections: Map<Part, Connection>; receive(envelope: Envelope): void; disconnect(): void } {
  const connections = new Map<Part, Connection>();
  const listeners = new Map<Part, (message: Message) => void>();
  const connect = (part: Part) =>
    connections.set(
      part,
      bus.connect({
        send: (message, transfer: readonly Transferable[] = []) =>
          worker.postMessage({ part, message } satisfies Envelope, [...transfer]),
        onMessage: (listener) => void listeners.set(part, listener),
      }),
    );
  for (const part of ["memory", ...parts] as const) connect(part);
  return {
    connections,
    receive(envelope) {
      if ("message" in envelope) listeners.get(envelope.part)?.(envelope.message);
      if (!("report" in envelope) || envelope.report !== "part stopped") return;
      connections.get(envelope.part)?.disconnect();
      connect(envelope.part);
    },
    disconnect() {
      for (const { disconnect } of connections.values()) disconnect();
    },
  };
}
