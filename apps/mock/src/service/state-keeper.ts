import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase } from "@product-search/stores/database/memory/memory.ts";
import type { ServiceSettings } from "./settings.ts";
import {
  dumpTables,
  type MadeChange,
  readState,
  restoreTables,
  StateFileError,
  writeState,
} from "./state-file.ts";

const saveAfterMs = 100;

/** Keeps the state in its file, a moment after each change; without a file it keeps nothing. */
export function createStateKeeper(database: MemoryDatabase, settings: ServiceSettings) {
  const { stateFile } = settings;
  const saved = stateFile === undefined ? undefined : readState(stateFile);
  if (saved && settings.seed !== undefined && saved.seed !== settings.seed)
    throw new StateFileError(
      `--state ${stateFile}: was written with ${saved.seed === undefined ? "no seed" : `--seed ${saved.seed}`}. Start with the same, or name another file.`,
    );
  const seed = saved ? saved.seed : settings.seed;
  const changes = [...(saved?.changes ?? [])];
  let startedAtMs = saved?.startedAtMs;
  let timer: NodeJS.Timeout | undefined;

  function save(): void {
    clearTimeout(timer);
    timer = undefined;
    if (stateFile === undefined || startedAtMs === undefined) return;
    writeState(stateFile, { version: 1, seed, startedAtMs, changes, ...dumpTables(database) });
  }
  const touch = (): void => {
    if (stateFile !== undefined) timer ??= setTimeout(save, saveAfterMs);
  };

  return {
    seed,
    changes,
    /** The moment from which the catalog's prices are dated back: now, or that of the first start. */
    begin(clock: Clock): number {
      startedAtMs ??= clock.now();
      return startedAtMs;
    },
    restore: () => {
      if (saved) restoreTables(database, saved);
    },
    note(change: MadeChange): void {
      changes.push(change);
      touch();
    },
    touch,
    save,
  };
}
