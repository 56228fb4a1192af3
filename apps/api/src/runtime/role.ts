import type { Logger } from "pino";
import type { BusClient } from "./bus-client.ts";
import type { ThreadData } from "./supervisor.ts";

export interface ThreadParts extends ThreadData {
  bus: BusClient;
  logger: Logger;
}

export interface RunningThread {
  /** Finishes what was begun and frees everything. */
  stop(): Promise<void>;
}

/** One role's life: resolves when it does its work, and gives the way to end it. */
export type Run = (parts: ThreadParts) => Promise<RunningThread>;
