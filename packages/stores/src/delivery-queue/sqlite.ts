import type { Clock } from "@product-search/core/ports/clock.ts";
import type { DeliveryQueue, TaskResult } from "@product-search/core/ports/delivery-queue.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import type Sqlite from "better-sqlite3";
import { createTolerantBatch } from "../database/tolerant-batch.ts";
import { prepareInternalFailure } from "./internal-failure.ts";
import { createTaskLeases } from "./lease-tasks.ts";
import { createPurge } from "./purge-deliveries.ts";
import { createResultRecorder } from "./record-results.ts";
import { type TakenElsewhere, withinRoom } from "./room.ts";
import { createWorkerRegistry } from "./worker-registry.ts";

export interface DeliveryQueueSettings {
  /** Used only by this worker, so that its transactions do not mix with others. */
  connection: Sqlite.Database;
  clock: Clock;
  secretBox: SecretBox;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;
/** How long a delivery waits whose result could not be recorded. */
const unrecordedPauseMs = 60_000;

interface Settlement {
  result: TaskResult;
  worker: string;
  failingSinceMs: number;
}

export function createSqliteDeliveryQueue(settings: DeliveryQueueSettings): DeliveryQueue {
  const { connection, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const registry = createWorkerRegistry(connection, maxMissedHeartbeats);
  const leases = createTaskLeases(settings);
  const settleOne = createResultRecorder(connection, clock);
  const settleUnsent = prepareInternalFailure(connection, clock);
  /** A result that cannot be recorded must not block the others. */
  const recordResult = createTolerantBatch(
    connection,
    ({ result, worker, failingSinceMs }: Settlement) => settleOne(result, worker, failingSinceMs),
    ({ result: { task }, worker }, error) => {
      const reason = error instanceof Error ? error.message : String(error);
      settleUnsent({
        key: task.key,
        worker,
        dueAt: clock.now() + unrecordedPauseMs,
        error: `What came of an attempt could not be recorded: ${reason}`,
      });
    },
  );

  const exchange = connection.transaction(
    (...[results, wanted, failingSinceMs]: Parameters<DeliveryQueue["exchange"]>) => {
      const worker = registry.id();
      recordResult(results.map((result) => ({ result, worker, failingSinceMs })));
      if (!registry.isKnown()) return [];
      const shares = withinRoom(wanted, wanted.length === 0 ? [] : elsewhere.all(worker));
      return shares.flatMap(({ webhook, count }) => leases.take(webhook, count, worker));
    },
  );
  const elsewhere = connection.prepare<[string], TakenElsewhere>(
    `select d.webhook_row_id as webhook, w.account_id as accountId, count(*) as tasks
     from deliveries d join webhooks w on w.row_id = d.webhook_row_id
     where d.worker is not null and d.worker <> ? group by d.webhook_row_id`,
  );
  const limitDue = connection.prepare<[number, number]>(
    "update deliveries set due_at = ? where status = 'pending' and worker is null and due_at > ?",
  );

  return {
    waiting: async () => leases.waiting(),
    exchange: async (...input) => exchange.immediate(...input),
    heartbeat: async () => registry.heartbeat(),
    leave: async () => registry.leave(),
    limitDueTimes: async (latestMs) => {
      limitDue.run(latestMs, latestMs);
    },
    purge: createPurge(connection, clock),
  };
}
