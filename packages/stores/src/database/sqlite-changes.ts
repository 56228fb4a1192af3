import { type FSWatcher, watch as watchFile } from "node:fs";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import type * as Sqlite from "./sqlite.ts";

/** In case the system does not report a write. */
const maxRestMs = 10_000;
/** Where the system cannot watch a file. */
const askEveryMs = 100;
/** No commit takes longer, from its first write to the log until others see it. */
const maxCommitMs = 1000;

export interface SqliteChanges {
  untilChange(): UntilChange;
  close(): void;
}

/**
 * Asking the database ten times a second costs an idle service more than anything else it does: waking up alone takes some 0.2 ms.
 * So the system reports when the write-ahead log is written, and only then is the database asked.
 */
export function createSqliteChanges(connection: Sqlite.Database): SqliteChanges {
  // The first number counts the commits of other connections, the second what this one has changed.
  const version = connection
    .prepare<[], string>("select data_version || ' ' || total_changes() from pragma_data_version")
    .pluck();
  const wakeups = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let writtenAtMs = Number.NEGATIVE_INFINITY;

  const onWrite = () => {
    writtenAtMs = performance.now();
    for (const wake of wakeups) wake();
  };

  /** Without a watcher, as where the system watches no more files, the database is asked. */
  const watch = () => {
    if (watcher !== undefined) return;
    try {
      watcher = watchFile(`${connection.name}-wal`, { persistent: false }, onWrite);
    } catch {
      return;
    }
    watcher.on("error", () => {
      watcher?.close();
      watcher = undefined;
    });
  };

  const isBeingWritten = () => performance.now() - writtenAtMs < maxCommitMs;

  /** Until the log is written, or a commit that is being written may be seen, or for this time. */
  const rest = async (ms: number, signal: AbortSignal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const sinceMs = performance.now() - writtenAtMs;
    const timer = setTimeout(wake, isBeingWritten() ? Math.min(ms, Math.max(1, sinceMs)) : ms);
    wakeups.add(wake);
    signal.addEventListener("abort", wake);
    await promise;
    signal.removeEventListener("abort", wake);
    wakeups.delete(wake);
    clearTimeout(timer);
  };

  return {
    untilChange() {
      watch();
      let seen = version.get();
      return async (ms, signal, restMs = maxRestMs) => {
        const calledAtMs = performance.now();
        const earliestMs = calledAtMs + ms;
        // All that rest in a thread end at the same time, so that it wakes up once.
        const restedMs = Math.ceil(calledAtMs / restMs) * restMs;
        const latestMs = Math.max(earliestMs, watcher === undefined ? calledAtMs + askEveryMs : restedMs);
        while (!signal.aborted) {
          const leftMs = latestMs - performance.now();
          const tooEarlyMs = earliestMs - performance.now();
          const hasChanged = version.get() !== seen;
          if (tooEarlyMs > 0 && (hasChanged || isBeingWritten())) await pause(tooEarlyMs, signal);
          else if (hasChanged || leftMs <= 0) break;
          else await rest(leftMs, signal);
        }
        if (!signal.aborted) seen = version.get();
      };
    },
    close: () => watcher?.close(),
  };
}
