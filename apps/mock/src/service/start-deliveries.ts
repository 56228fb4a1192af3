import { type Clock, systemClock } from "@product-search/core/ports/clock.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import {
  type DeliveryWorker,
  startDeliveryWorker,
} from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import type { MemoryDatabase } from "@product-search/stores/database/memory/memory.ts";
import { createMemoryDeliveryQueue } from "@product-search/stores/delivery-queue/memory.ts";
import { failFirst } from "./outbound-http.ts";
import type { ServiceSettings } from "./settings.ts";
import { speedUpRetries } from "./sped-up-queue.ts";

export interface DeliveryDeps {
  database: MemoryDatabase;
  webhookHttp: OutboundHttp;
  /** Called after every attempt. */
  onAttempt(): void;
}

/**
 * Delivers with the service's own worker. Its clock is the real one, also in a mock with a seed: who verifies a signature
 * compares its time with the present.
 */
export function startDeliveries(
  { database, webhookHttp, onAttempt }: DeliveryDeps,
  { speed, failDeliveries, seed }: ServiceSettings,
): DeliveryWorker {
  const clock: Clock = systemClock;
  const purged = createMemoryDeliveryQueue({ database, clock });
  // The times of a seed are long past: by the real clock every delivery would be old enough to be deleted.
  const queue = seed === undefined ? purged : { ...purged, purge: async () => false };
  return startDeliveryWorker({
    deliveryQueue: speed === 1 ? queue : speedUpRetries(queue, speed, clock),
    webhookHttp: failDeliveries > 0 ? failFirst(webhookHttp, failDeliveries) : webhookHttp,
    clock,
    random: Math.random,
    onAttempt,
    onError: (error) => console.error(`A delivery failed: ${error}`),
  });
}
