import type { Clock } from "../ports/clock.ts";

/** `open`: no calls. `half-open`: a few calls probe whether the other side works again. */
export type Circuit = "closed" | "open" | "half-open";

/** How a call ended. `abandoned`: for a reason that says nothing about the other side, such as a client that left. */
export type CallEnding = "succeeded" | "failed" | "abandoned";

export interface CircuitBreakerSettings {
  clock: Clock;
  /** How many of the newest calls are judged. Abandoned calls are none of them. */
  judgedCalls: number;
  /** Whether so many failures among the judged calls open the circuit. */
  isFailing(failures: number, calls: number): boolean;
  /** How long the circuit stays open; `probes` is how many times in a row probing has failed. */
  openMs(probes: number): number;
  /** Maximum number of concurrent calls while half-open. */
  maxProbes: number;
  onChange?(state: Circuit): void;
}

/** Stops calls to another side that keeps failing. */
export interface CircuitBreaker {
  readonly state: Circuit;
  /**
   * Undefined if no call may be made now. Otherwise the caller reports the end of its call, of which only the first
   * report counts.
   */
  enter(): ((ending: CallEnding) => void) | undefined;
}

/**
 * Our own, and not that of a library such as cockatiel: that one counts a probe that was abandoned as a success, makes
 * other calls wait for the probe, and runs functions, but no streams. This one costs a call about as much as a closure.
 */
export function createCircuitBreaker(settings: CircuitBreakerSettings): CircuitBreaker {
  const { clock, judgedCalls, isFailing, openMs, maxProbes, onChange = () => {} } = settings;
  let state: Circuit = "closed";
  /** The judged calls, oldest first: whether each failed. */
  let judged: boolean[] = [];
  let openUntilMs = 0;
  let failedProbes = 0;
  let probing = 0;
  /** Calls from before the circuit opened say nothing about the time after it. */
  let openings = 0;

  function change(next: Circuit): void {
    state = next;
    onChange(next);
  }

  function open(): void {
    openUntilMs = clock.now() + openMs(failedProbes);
    openings += 1;
    probing = 0;
    change("open");
  }

  function judge(hasFailed: boolean): void {
    if (state === "half-open" && hasFailed) {
      failedProbes += 1;
      open();
      return;
    }
    if (state === "half-open") {
      judged = [];
      failedProbes = 0;
      probing = 0;
      change("closed");
    }
    judged.push(hasFailed);
    if (judged.length > judgedCalls) judged.shift();
    if (hasFailed && isFailing(judged.filter(Boolean).length, judged.length)) open();
  }

  return {
    get state() {
      return state;
    },
    enter() {
      if (state === "open") {
        if (clock.now() < openUntilMs) return undefined;
        change("half-open");
      }
      const isProbe = state === "half-open";
      if (isProbe && probing >= maxProbes) return undefined;
      if (isProbe) probing += 1;
      const opened = openings;
      let hasEnded = false;
      return (ending) => {
        if (hasEnded) return;
        hasEnded = true;
        if (opened !== openings) return;
        if (isProbe && state === "half-open") probing -= 1;
        if (ending !== "abandoned") judge(ending === "failed");
      };
    },
  };
}
