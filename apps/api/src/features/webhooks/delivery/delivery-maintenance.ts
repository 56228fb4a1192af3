import type { Clock } from "../../../ports/clock.ts";
import type { DeliveryQueue } from "../../../ports/delivery-queue.ts";
import { maxDelayMs } from "./retry-schedule.ts";

const keptForMs = 30 * 24 * 3600 * 1000;
const purgeEveryMs = 60_000;
/** A difference between the wall clock and the monotonic one that is no drift but a jump. */
const jumpMs = 5000;

export interface DeliveryMaintenance {
  /** Does what is due, a few milliseconds' worth. False when the others had given this worker up. */
  run(): Promise<boolean>;
}

export interface UpkeepDeps {
  deliveryQueue: DeliveryQueue;
  clock: Clock;
  onError(error: unknown): void;
}

/** What a worker does beside delivering: showing that it lives, noticing clock jumps, removing what is old. */
export function createDeliveryMaintenance(
  { deliveryQueue, clock, onError }: UpkeepDeps,
  heartbeatMs: number,
): DeliveryMaintenance {
  let aliveAtMs = Number.NEGATIVE_INFINITY;
  let purgedAtMs = Number.NEGATIVE_INFINITY;
  let offsetMs = Number.POSITIVE_INFINITY;

  /** After the clock was set back, what was planned before would come late by as much. */
  const watchClock = async () => {
    const offset = clock.now() - performance.now();
    if (offset < offsetMs - jumpMs) await deliveryQueue.limitDueTimes(clock.now() + maxDelayMs);
    offsetMs = offset;
  };

  /** Deliveries do not wait for what cannot be removed: that is tried again with the next cleaning. */
  const purge = async (nowMs: number) => {
    if (nowMs - purgedAtMs < purgeEveryMs) return;
    try {
      if (await deliveryQueue.purge(clock.now() - keptForMs)) return;
    } catch (error) {
      onError(error);
    }
    purgedAtMs = nowMs;
  };

  return {
    async run() {
      const nowMs = performance.now();
      await watchClock();
      await purge(nowMs);
      if (nowMs - aliveAtMs < heartbeatMs) return true;
      aliveAtMs = nowMs;
      return deliveryQueue.heartbeat();
    },
  };
}
