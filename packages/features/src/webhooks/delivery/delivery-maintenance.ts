import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryQueue } from "@product-search/core/ports/webhooks.ts";
import { maxDelayMs } from "./attempt-delivery.ts";

/** Deliveries and their events can be listed and replayed for 30 days. */
export const deliveriesKeptForMs = 30 * 24 * 3600 * 1000;
const purgeEveryMs = 60_000;
/** A larger difference between the wall clock and the monotonic clock means that the clock was set. */
const jumpMs = 5000;

export interface DeliveryMaintenance {
  /** Does the work that is due, for a few milliseconds. False if other workers have declared this one dead. */
  run(): Promise<boolean>;
}

export interface UpkeepDeps {
  deliveryQueue: DeliveryQueue;
  clock: Clock;
}

/** The work of a delivery worker besides deliveries: heartbeats, detecting clock changes, purging old data. */
export function createDeliveryMaintenance(
  { deliveryQueue, clock }: UpkeepDeps,
  heartbeatMs: number,
): DeliveryMaintenance {
  let aliveAtMs = Number.NEGATIVE_INFINITY;
  let purgedAtMs = Number.NEGATIVE_INFINITY;
  let offsetMs = Number.POSITIVE_INFINITY;

  /** After the clock was set back, deliveries planned before would be late by that much. */
  const watchClock = async () => {
    const offset = clock.now() - performance.now();
    if (offset < offsetMs - jumpMs) await deliveryQueue.limitDueTimes(clock.now() + maxDelayMs);
    offsetMs = offset;
  };

  /** A failed purge is an error like any other, so that it is reported once; it is tried again a minute later. */
  const purge = async (nowMs: number) => {
    if (nowMs - purgedAtMs < purgeEveryMs) return;
    const purgedBeforeMs = purgedAtMs;
    purgedAtMs = nowMs;
    if (await deliveryQueue.purge(clock.now() - deliveriesKeptForMs)) purgedAtMs = purgedBeforeMs;
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
