import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { MemoryDatabase, MemoryTables } from "@product-search/stores/database/memory/memory.ts";
import type { ProductChange } from "./change-product.ts";
import type { ServiceSettings } from "./settings.ts";

/** The tables that are kept. The catalog is not: it is the sample with the changes that were made to it. */
const keptTables = ["webhooks", "events", "deliveries", "responses", "images"] as const;
type KeptTable = (typeof keptTables)[number];
const keptCounters = [
  "webhooks",
  "events",
  "deliveries",
  "draws",
  "requests",
  "synonyms",
  "rules",
  "events counted",
];

/** A change and when it was made. */
export type MadeChange = ProductChange & { atMs: number };

export interface SavedState {
  version: 1;
  seed?: number | undefined;
  /** The moment from which the sample's prices are dated back. */
  startedAtMs: number;
  changes: readonly MadeChange[];
  counters: Record<string, number>;
  /** Tables that a former release did not keep are absent in its state. */
  tables: { [Name in KeptTable]: ReturnType<MemoryTables[Name]["entries"]> } & {
    synonyms?: ReturnType<MemoryTables["synonyms"]["entries"]>;
    rules?: ReturnType<MemoryTables["rules"]["entries"]>;
    ruleHistory?: ReturnType<MemoryTables["ruleHistory"]["entries"]>;
    queryHours?: ReturnType<MemoryTables["queryHours"]["entries"]>;
    eventKeys?: ReturnType<MemoryTables["eventKeys"]["entries"]>;
  };
}

class StateFileError extends Error {}

/** Undefined when there is no such file yet. */
function readState(file: string): SavedState | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw new StateFileError(`--state ${file}: cannot be read: ${error}`);
  }
  try {
    const state: SavedState = JSON.parse(text);
    if (state.version === 1) return state;
  } catch {
    // Said below.
  }
  throw new StateFileError(`--state ${file}: is not a state of this mock. Delete it, or name another file.`);
}

/** Written beside the file and put in its place: a mock that is killed leaves the state before or after. */
function writeState(file: string, state: SavedState): void {
  const temporary = `${file}.tmp`;
  writeFileSync(temporary, JSON.stringify(state));
  renameSync(temporary, file);
}

function dumpTables({ tables }: MemoryDatabase): Pick<SavedState, "tables" | "counters"> {
  const { webhooks, events, deliveries, responses, images, counters } = tables;
  const { synonyms, rules, ruleHistory, queryHours, eventKeys } = tables;
  return {
    tables: {
      webhooks: webhooks.entries(),
      events: events.entries(),
      // A delivery that was being attempted when the state was written is attempted again.
      deliveries: deliveries.entries().map(([row, { worker: _, ...delivery }]) => [row, delivery]),
      responses: responses.entries(),
      images: images.entries(),
      synonyms: synonyms.entries(),
      rules: rules.entries(),
      ruleHistory: ruleHistory.entries(),
      queryHours: queryHours.entries(),
      eventKeys: eventKeys.entries(),
    },
    counters: Object.fromEntries(counters.entries().filter(([name]) => keptCounters.includes(name))),
  };
}

function restoreTables({ tables }: MemoryDatabase, saved: Pick<SavedState, "tables" | "counters">): void {
  for (const [row, webhook] of saved.tables.webhooks) tables.webhooks.set(row, webhook);
  for (const [row, event] of saved.tables.events) tables.events.set(row, event);
  for (const [row, delivery] of saved.tables.deliveries) tables.deliveries.set(row, delivery);
  for (const [key, response] of saved.tables.responses) tables.responses.set(key, response);
  for (const [slug, image] of saved.tables.images) tables.images.set(slug, image);
  for (const [slot, synonyms] of saved.tables.synonyms ?? []) tables.synonyms.set(slot, synonyms);
  for (const [slot, rules] of saved.tables.rules ?? []) tables.rules.set(slot, rules);
  for (const [id, history] of saved.tables.ruleHistory ?? []) tables.ruleHistory.set(id, history);
  for (const [key, row] of saved.tables.queryHours ?? []) tables.queryHours.set(key, row);
  for (const [key, day] of saved.tables.eventKeys ?? []) tables.eventKeys.set(key, day);
  for (const [name, count] of Object.entries(saved.counters)) tables.counters.set(name, count);
}

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
