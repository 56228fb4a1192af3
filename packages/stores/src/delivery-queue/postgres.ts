import type { Clock } from "@product-search/core/ports/clock.ts";
import type {
  DeliveryQueue,
  DeliveryTask,
  TaskResult,
  WantedTasks,
} from "@product-search/core/ports/delivery-queue.ts";
import type { SecretBox } from "@product-search/core/ports/secret-box.ts";
import { type Kysely, sql } from "kysely";
import { limitIdleTime } from "../database/postgres/limit-idle-time.ts";
import { retryDeadlocks } from "../database/postgres/retry-deadlocks.ts";
import type { Database } from "../database/schema.ts";
import { lockRoom } from "./postgres/lock-room.ts";
import { createPostgresPurge } from "./postgres/purge.ts";
import { recordResults } from "./postgres/results.ts";
import { takeTasks, waitingWebhooks } from "./postgres/tasks.ts";
import { createPostgresWorkers } from "./postgres/worker-registry.ts";

export interface PostgresDeliveryQueueSettings {
  db: Kysely<Database>;
  clock: Clock;
  secretBox: SecretBox;
  /** A worker without a heartbeat during this many of another worker's is treated as dead. */
  maxMissedHeartbeats?: number;
}

const defaultMissedHeartbeats = 10;

/** The queue of one worker, next to any number of others on any number of nodes. */
export function createPostgresDeliveryQueue(settings: PostgresDeliveryQueueSettings): DeliveryQueue {
  const { db, clock, maxMissedHeartbeats = defaultMissedHeartbeats } = settings;
  const workers = createPostgresWorkers(db, maxMissedHeartbeats);

  const transact = <Result>(work: (transaction: Kysely<Database>) => Promise<Result>) =>
    retryDeadlocks(() => db.transaction().execute(work));

  const exchange = (results: readonly TaskResult[], wanted: readonly WantedTasks[], failingSinceMs: number) =>
    transact(async (transaction): Promise<DeliveryTask[]> => {
      await sql.raw(limitIdleTime).execute(transaction);
      const worker = workers.id();
      await recordResults(transaction, results, { worker, failingSinceMs, nowMs: clock.now() });
      if (wanted.length === 0 || !(await workers.hold(transaction))) return [];
      const shares = await lockRoom(transaction, wanted, worker);
      return shares.length === 0 ? [] : takeTasks(transaction, settings, shares, worker);
    });

  return {
    waiting: () => waitingWebhooks(db, clock.now()),
    async exchange(results, wanted, failingSinceMs) {
      const tasks = await exchange(results, wanted, failingSinceMs);
      workers.note({ settled: results.map(({ task }) => task.key), taken: tasks.map(({ key }) => key) });
      return tasks;
    },
    heartbeat: () => workers.heartbeat(),
    leave: () => workers.leave(),
    async limitDueTimes(latestMs) {
      await db
        .updateTable("deliveries")
        .set({ due_at: latestMs })
        .where("status", "=", "pending")
        .where("worker", "is", null)
        .where("due_at", ">", latestMs)
        .execute();
    },
    purge: createPostgresPurge(db, clock),
  };
}
