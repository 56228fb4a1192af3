import type { MemoryDatabase } from "../database/memory/memory.ts";

interface WorkerSettings {
  maxMissedHeartbeats: number;
  newId(): string;
}

/** One of the workers on the database. A worker without heartbeats while the others have theirs is dead. */
export function createMemoryWorker(
  { tables: { workers, deliveries } }: MemoryDatabase,
  { maxMissedHeartbeats, newId }: WorkerSettings,
) {
  const seen = new Map<string, { beat: number; since: number }>();
  let id = newId();
  let ownHeartbeats = 0;
  let isRegistered = false;

  function remove(gone: string): void {
    workers.delete(gone);
    for (const [row, { worker, ...delivery }] of deliveries.entries())
      if (worker === gone) deliveries.set(row, delivery);
  }

  function watch(other: string, beat: number): void {
    const last = seen.get(other);
    if (last?.beat !== beat) seen.set(other, { beat, since: ownHeartbeats });
    else if (other !== id && ownHeartbeats - last.since >= maxMissedHeartbeats) remove(other);
  }

  return {
    id: () => id,
    isKnown: () => workers.get(id) !== undefined,
    heartbeat(): boolean {
      const former = workers.get(id);
      if (former === undefined) id = newId();
      workers.set(id, (former ?? 0) + 1);
      ownHeartbeats += 1;
      for (const [other, beat] of workers.entries()) watch(other, beat);
      for (const gone of seen.keys()) if (workers.get(gone) === undefined) seen.delete(gone);
      const wasGivenUp = isRegistered && former === undefined;
      isRegistered = true;
      return !wasGivenUp;
    },
    leave: () => remove(id),
  };
}
