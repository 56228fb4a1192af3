import type { Told } from "./expected.ts";

/** The start parameters of a life, as JSON in its first argument. */
export interface LifePlan {
  histories: { seed: number; dataDir: string; told: Told[] }[];
  /** The write at which it is killed; without it, it runs to the end. */
  atWrite?: number;
  nowMs: number;
}

/** Sent to the parent after a successful step. Only steps that arrive there count as acknowledged. */
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
