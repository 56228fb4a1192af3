import type { Told } from "./expected.ts";

/** What a life is started with, as JSON in its first argument. */
export interface LifePlan {
  histories: { seed: number; dataDir: string; told: Told[] }[];
  /** At which write it dies; it lives to the end without. */
  atWrite?: number;
  nowMs: number;
}

/** Sent to the parent when a step has succeeded: only what arrives there was acknowledged. */
export interface Acknowledgement {
  seed: number;
  number: number;
  told: Told;
}

/** A line of `delivered.log`. */
export interface Delivered {
  url: string;
  event: string;
}

export const deliveredLog = "delivered.log";
