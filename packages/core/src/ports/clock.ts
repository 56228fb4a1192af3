/** The current time; tests can set it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Goes on as it is when somebody sets the clock: for what lasts some time in one process. */
export const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() };
