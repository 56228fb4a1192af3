import type { Clock } from "@product-search/core/ports/clock.ts";

/** How the mock's service differs from the real one, as its user asked for. */
export interface ServiceSettings {
  /** Makes identifiers, keys and times repeatable. */
  seed?: number | undefined;
  /** Retries of deliveries come so many times sooner. */
  speed: number;
  /** So many attempts of each delivery fail before it is sent; `Infinity` for all. */
  failDeliveries: number;
  /** Where the state is kept between starts. */
  stateFile?: string | undefined;
}

export const defaultSettings: ServiceSettings = { speed: 1, failDeliveries: 0 };

/** How many products of the sample catalog the mock has. */
export const productCount = 500;
export const currency = "USD";
/** As in the service. */
export const boostFactor = 1.5;
export const outOfStockLast = true;

/** The time of a mock with a seed: it starts at the same moment and goes on by a second with each request. */
export interface SteppedClock extends Clock {
  step(): void;
}

const seededStartMs = Date.UTC(2026, 0, 1);
const stepMs = 1000;

/** `count` is the number of requests so far, and `next` counts one more: a state that is kept goes on where it stopped. */
export function createClock(seed: number | undefined, count: () => number, next: () => number): SteppedClock {
  return {
    now: () => (seed === undefined ? Date.now() : seededStartMs + count() * stepMs),
    step: () => {
      if (seed !== undefined) next();
    },
  };
}
