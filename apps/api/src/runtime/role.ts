import type { Logger } from "pino";
import type { BusClient } from "./bus-client.ts";
import type { Part, ThreadData } from "./supervisor.ts";

export interface PartParts extends ThreadData {
  part: Part;
  bus: BusClient;
  logger: Logger;
  /** The part cannot go on: it is stopped and started again. */
  fail(error: unknown): void;
}

export interface RunningPart {
  /** Finishes the work in progress and frees all resources, also of a part that has failed. */
  stop(): Promise<void>;
}

/** Starts a part of a thread: resolves when it is ready, with the function to end it. */
export type Run = (parts: PartParts) => Promise<RunningPart>;
