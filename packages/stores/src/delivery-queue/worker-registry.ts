import { randomUUID } from "node:crypto";
import type Sqlite from "better-sqlite3";

export interface WorkerRegistry {
  id(): string;
  /** Whether the others still treat this worker as alive. */
  isKnown(): boolean;
  /** See the port. */
  heartbeat(): boolean;
  leave(): void;
}

interface Worker {
  id: string;
  beat: number;
}

/**
 * Detects dead workers. Every worker counts heartbeats; one whose count did not change during `maxMissedHeartbeats`
 * heartbeats of the watcher is dead. No clock is used, because clocks may jump, and after a pause of the whole
 * machine all count again.
 */
export function createWorkerRegistry(
  connection: Sqlite.Database,
  maxMissedHeartbeats: number,
): WorkerRegistry {
  const known = connection.prepare<[string], Worker>("select id, beat from delivery_workers where id = ?");
  const all = connection.prepare<[], Worker>("select id, beat from delivery_workers");
  const add = connection.prepare<[string]>("insert into delivery_workers (id, beat) values (?, 0)");
  const countUp = connection.prepare<[string]>("update delivery_workers set beat = beat + 1 where id = ?");
  const unregister = connection.prepare<[string, number]>(
    "delete from delivery_workers where id = ? and beat = ?",
  );
  const free = connection.prepare<[string]>("update deliveries set worker = null where worker = ?");
  const seen = new Map<string, { beat: number; since: number }>();
  let id = randomUUID();
  let ownHeartbeats = 0;
  let isRegistered = false;

  /** The statement compares the heartbeat once more, so that a worker that has just sent one stays. */
  const removeExpired = ({ id: other, beat }: Worker) => {
    if (unregister.run(other, beat).changes > 0) free.run(other);
  };

  const heartbeat = connection.transaction((): boolean => {
    const lives = countUp.run(id).changes > 0;
    if (!lives) {
      id = randomUUID();
      add.run(id);
    }
    ownHeartbeats += 1;
    const workers = all.all();
    for (const worker of workers) {
      const last = seen.get(worker.id);
      if (last?.beat !== worker.beat) seen.set(worker.id, { beat: worker.beat, since: ownHeartbeats });
      else if (worker.id !== id && ownHeartbeats - last.since >= maxMissedHeartbeats) removeExpired(worker);
    }
    for (const gone of seen.keys()) if (!workers.some((worker) => worker.id === gone)) seen.delete(gone);
    const hasExpired = isRegistered && !lives;
    isRegistered = true;
    return !hasExpired;
  });

  const leave = connection.transaction((): void => {
    const self = known.get(id);
    if (self !== undefined) removeExpired(self);
  });

  return {
    id: () => id,
    isKnown: () => known.get(id) !== undefined,
    heartbeat: () => heartbeat.immediate(),
    leave: () => leave.immediate(),
  };
}
