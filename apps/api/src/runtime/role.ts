import type { Logger } from "pino";
import type { BusClient } from "./bus-client.ts";
import type { ThreadData } from "./supervisor.ts";

export interface ThreadParts extends ThreadData {
  bus: BusClient;
  logger: Logger;
}

export interface RunningThread {
  /** Finishes the work in progress and frees all resources. */
  stop(): Promise<void>;
}

/** Starts a role: resolves when it is ready, with the function to end it. */
export type Run = (parts: ThreadParts) => Promise<RunningThread>;
