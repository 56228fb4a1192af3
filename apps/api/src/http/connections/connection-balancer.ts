import { performance } from "node:perf_hooks";

/** Spreads connections over the HTTP threads, which the kernel does not do. */
export interface ConnectionBalancer {
  /** Called for each request: true if its connection should be closed, so that the client opens a new one on any thread. */
  shouldMove(connection: object): boolean;
  /** Compares this thread with the others. Called at intervals. */
  compare(): void;
}

export const compareEveryMs = 250;

/** Below this utilization a thread responds in time, whatever the others do. */
const busyThresholdPermille = 300;
const minDifferencePermille = 150;

/** Shared by all HTTP threads: the recent utilization of each. */
export function createUtilizationMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * The kernel gives a new connection to any listening thread, so a few long-lived connections may all be on one thread
 * while the others are idle. A thread that is clearly busier than another sends `Connection: close` on one connection
 * in each interval: the client opens a new one, which may go to another thread. A thread with a single connection keeps
 * it, because it would cause as much work elsewhere. Without this, one of two threads had twice the work of the other.
 */
export function createConnectionBalancer(
  memory: SharedArrayBuffer,
  number: number,
  busy: () => number = utilizationSinceLastCall(),
): ConnectionBalancer {
  const utilizations = new Int32Array(memory);
  let lastConnection: object | undefined;
  let hasSeveral = false;
  let isBusiest = false;
  return {
    shouldMove(connection) {
      if (!isBusiest) {
        hasSeveral ||= lastConnection !== undefined && lastConnection !== connection;
        lastConnection = connection;
        return false;
      }
      isBusiest = false;
      return true;
    },
    compare() {
      const own = Math.round(busy() * 1000);
      Atomics.store(utilizations, number, own);
      isBusiest =
        hasSeveral &&
        own >= busyThresholdPermille &&
        own - Math.min(...utilizations) >= minDifferencePermille;
      hasSeveral = false;
      lastConnection = undefined;
    },
  };
}

/** The share of time in which this thread was busy. */
function utilizationSinceLastCall(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
