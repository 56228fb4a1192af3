import { performance } from "node:perf_hooks";

/** Spreads connections over the threads that respond, as the kernel does not. */
export interface ConnectionBalancer {
  /** Asked for each request: true when its connection had better be made anew, on whichever thread takes it then. */
  shouldMove(connection: object): boolean;
  /** Compares this thread with the others. Called at intervals. */
  compare(): void;
}

export const compareEveryMs = 250;

/** A thread with less to do responds in time, whatever the others do. */
const busyThresholdPermille = 300;
const minDifferencePermille = 150;

/** Shared by all threads that respond: how busy each was lately. */
export function createUtilizationMemory(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * The kernel gives a new connection to any thread that listens, and a few long-lived ones may all sit on one thread while the
 * others idle. A thread that is clearly busier than another gives up one connection in each interval, by answering
 * `Connection: close`: the client makes a new one, which may go to another thread. The only connection in use stays: it
 * would be as much work elsewhere.
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

/** The share of the time that this thread had something to do. */
function utilizationSinceLastCall(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
