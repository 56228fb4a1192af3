import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryQueue } from "@product-search/core/ports/delivery-queue.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryLeases } from "./memory-leases.ts";
import { createMemoryPurge } from "./memory-purge.ts";
import { createMemoryRecorder } from "./memory-results.ts";
import { createMemoryWorker } from "./memory-worker.ts";
import { withinRoom } from "./room.ts";

export interface MemoryDeliveryQueueSettings {
  database: MemoryDatabase;
  clock: Clock;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;

export function createMemoryDeliveryQueue(settings: MemoryDeliveryQueueSettings): DeliveryQueue {
  const { database, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const worker = createMemoryWorker(database, { maxMissedHeartbeats, newId: randomUUID });
  const leases = createMemoryLeases(database, clock);
  const record = createMemoryRecorder(database, clock);
  const purge = createMemoryPurge(database, clock);
  const { deliveries } = database.tables;

  return {
    waiting: async () => leases.waiting(),
    exchange: (results, wanted, failingSinceMs) =>
      database.transact(() => {
        for (const result of results) record(result, worker.id(), failingSinceMs);
        if (!worker.isKnown()) return [];
        const shares = withinRoom(wanted, leases.takenElsewhere(worker.id()));
        return shares.flatMap(({ webhook, count }) => leases.take(webhook, count, worker.id()));
      }),
    heartbeat: () => database.transact(worker.heartbeat),
    leave: () => database.transact(worker.leave),
    limitDueTimes: (latestMs) =>
      database.transact(() => {
        for (const [row, delivery] of deliveries.entries()) {
          const { status, worker: taken, dueAtMs } = delivery;
          if (status === "pending" && taken === undefined && dueAtMs > latestMs)
            deliveries.set(row, { ...delivery, dueAtMs: latestMs });
        }
      }),
    purge: (beforeMs) => database.transact(() => purge(beforeMs)),
  };
}
