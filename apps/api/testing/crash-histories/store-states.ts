import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { composeSqliteStores, type SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { doStep, type StepDeps } from "./do-step.ts";
import { type Effects, expectedEffects, type Told } from "./expected.ts";
import { createSteps, type Step } from "./steps.ts";

export interface StoreStates {
  /** The number of states that were reopened. */
  states: number;
  /** What was lost, invented or done twice. */
  faults: string[];
}

interface Recording {
  steps: Step[];
  told: Told[];
  /** The length of the log of writes when each step was acknowledged. */
  acknowledgedAt: number[];
  log: Buffer;
}

const walHeaderBytes = 32;
const walFrameBytes = 24 + 4096;
const startMs = Date.UTC(2026, 10, 20);
/** Longer than the idempotency claim of a crashed request. */
const laterMs = 6000;
const names = { store: "store.sqlite", log: "store.sqlite-wal", key: "secret.key" };

/**
 * Runs a random history, then reopens the database with every prefix of its writes: after a power cut, one of these
 * states is left. In each state, the interrupted step is repeated, and everything is compared.
 */
export async function checkStoreStates(seed: number): Promise<StoreStates> {
  const folder = mkdtempSync(join(tmpdir(), "store-states-"));
  try {
    const recording = await record(seed, join(folder, "lived"));
    const frames = Math.floor((recording.log.length - walHeaderBytes) / walFrameBytes);
    const faults: string[] = [];
    for (let frame = 0; frame <= frames; frame++) {
      const fault = await checkState(folder, recording, walHeaderBytes + frame * walFrameBytes);
      if (fault !== undefined) faults.push(`seed ${seed}, after ${frame} of ${frames} frames: ${fault}`);
    }
    return { states: frames + 1, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All writes stay in the log; the database file stays as it was at the start. */
async function record(seed: number, dataDir: string): Promise<Recording> {
  const { stores, deps } = await open(dataDir, startMs);
  const { connection } = stores.database;
  connection.pragma("wal_checkpoint(TRUNCATE)");
  connection.pragma("wal_autocheckpoint = 0");
  const steps = createSteps(seed);
  const told: Told[] = [];
  const acknowledgedAt: number[] = [];
  const readLog = () => readFileSync(join(dataDir, names.log));
  for (const [number, step] of steps.entries()) {
    told.push(await doStep(deps, step, number, told));
    acknowledgedAt.push(readLog().length);
  }
  const log = readLog();
  copyFileSync(join(dataDir, names.store), join(dataDir, "base"));
  await stores.close();
  return { steps, told, acknowledgedAt, log };
}

/** What is wrong with the state after this many bytes of the log; undefined if nothing is. */
async function checkState(folder: string, recording: Recording, bytes: number): Promise<string | undefined> {
  const dataDir = join(folder, "reopened");
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir);
  copyFileSync(join(folder, "lived", "base"), join(dataDir, names.store));
  copyFileSync(join(folder, "lived", names.key), join(dataDir, names.key));
  writeFileSync(join(dataDir, names.log), recording.log.subarray(0, bytes));
  const { steps, acknowledgedAt } = recording;
  const acknowledged = acknowledgedAt.filter((length) => length <= bytes).length;
  const told = recording.told.slice(0, acknowledged);
  const { stores, deps } = await open(dataDir, startMs + laterMs);
  try {
    const next = steps[acknowledged];
    if (next !== undefined) told.push(await doStep(deps, next, acknowledged, told));
    return compare(stores, steps.slice(0, told.length), told);
  } catch (error) {
    return `step ${acknowledged} (${steps[acknowledged]?.kind}) failed: ${String(error)}`;
  } finally {
    await stores.close();
  }
}

export function compare(
  stores: SqliteStores,
  steps: readonly Step[],
  told: readonly Told[],
): string | undefined {
  const [expected, found] = [expectedEffects(steps, told), foundEffects(stores)];
  if (isDeepStrictEqual(found, expected)) return undefined;
  return `expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
}

async function open(dataDir: string, nowMs: number): Promise<{ stores: SqliteStores; deps: StepDeps }> {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" });
  const stores = await composeSqliteStores(config, { now: () => nowMs });
  const { id: accountId } = await stores.accountStore.ensureAccount("partner");
  const applyFeed: StepDeps["applyFeed"] = async (rows) => {
    // Two transactions: a crash may come between them.
    const half = Math.ceil(rows.length / 2);
    for (const batch of [rows.slice(0, half), rows.slice(half)]) await stores.catalogStore.apply(batch);
  };
  return { stores, deps: { stores, accountId, applyFeed } };
}

/** The actual contents of the database. */
function foundEffects({ database: { connection }, secretBox, clock }: SqliteStores): Effects {
  const former = connection.prepare<[number, number], { key: Uint8Array }>(
    "select key from webhook_former_keys where webhook_row_id = ? and until > ?",
  );
  const webhooks = connection
    .prepare<[], { rowId: number; id: string; key: Uint8Array }>(
      "select row_id as rowId, id, key from webhooks where deleted_at is null",
    )
    .all();
  const deliveries = connection
    .prepare<[], { webhook: string; id: string; kind: string; body: string }>(
      `select w.id as webhook, d.id, d.kind, e.body from deliveries d
       join webhooks w on w.row_id = d.webhook_row_id join webhook_events e on e.row_id = d.event_row_id
       where w.deleted_at is null`,
    )
    .all();
  const products = connection
    .prepare<[], { text: string }>(
      `select key || ' ' || availability || ' ' || (
         select group_concat(price_minor) from (
           select price_minor from price_history where product_row_id = products.row_id order by at)) as text
       from products`,
    )
    .all();
  return {
    webhooks: Object.fromEntries(
      webhooks.map(({ rowId, id, key }) => [
        id,
        {
          key: secretBox.open(key),
          former: former
            .all(rowId, clock.now())
            .map((row) => secretBox.open(row.key))
            .toSorted(),
        },
      ]),
    ),
    deliveries: deliveries
      .map(
        ({ webhook, id, kind, body }) => `${webhook} ${kind} ${kind === "test" ? id : describeChange(body)}`,
      )
      .toSorted(),
    products: products.map(({ text }) => text).toSorted(),
  };
}

function describeChange(body: string): string {
  const { type, data } = JSON.parse(body);
  const value = type === "price.alert" ? "price" : "availability";
  return `${data.productId} ${data.previous[value]} → ${data.current[value]}`;
}
