import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRandom } from "@product-search/sample-catalog";
import { composeSqliteStores, type SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { type Acknowledgement, type Delivered, deliveredLog, type LifePlan } from "./life-plan.ts";
import { createSteps } from "./steps.ts";
import { compare } from "./store-states.ts";

export interface KilledHistories {
  /** The number of kills. A life may end before the write at which it should be killed. */
  kills: number;
  steps: number;
  deliveries: number;
  /** What was lost, invented or done twice. */
  faults: string[];
}

type History = LifePlan["histories"][number];

const life = new URL("./life.ts", import.meta.url);
const startMs = Date.UTC(2026, 10, 20);
/** The pause between two lives: longer than the idempotency claim of a crashed request. */
const betweenLivesMs = 6000;
const writesOfHistory = 150;
const lifeTimeoutMs = 120_000;

/**
 * Runs several histories in one process, which is killed again and again at writes that the first seed determines.
 * Compares the result with what was acknowledged. Several at once only because starting a process is slow.
 */
export async function runKilledHistories(
  seeds: readonly number[],
  maxKills: number,
): Promise<KilledHistories> {
  const folder = mkdtempSync(join(tmpdir(), "killed-histories-"));
  try {
    const histories = seeds.map((seed): History => ({ seed, dataDir: join(folder, String(seed)), told: [] }));
    const { kills, nowMs } = await liveToTheEnd(histories, maxKills);
    const outcome: KilledHistories = { kills, steps: 0, deliveries: 0, faults: [] };
    for (const history of histories) await check(history, nowMs, outcome);
    return outcome;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function liveToTheEnd(
  histories: History[],
  maxKills: number,
): Promise<{ kills: number; nowMs: number }> {
  const random = createRandom(histories[0]?.seed ?? 0);
  let nowMs = startMs;
  for (let kills = 0; ; ) {
    const atWrite = random.integer(1, writesOfHistory * histories.length);
    const plan: LifePlan = { histories, nowMs, ...(kills < maxKills && { atWrite }) };
    const isKilled = await liveOnce(plan);
    nowMs += lifeTimeoutMs + betweenLivesMs;
    if (!isKilled) return { kills, nowMs };
    kills += 1;
  }
}

/** True if it was killed. Acknowledged steps are recorded in the histories of the plan. */
async function liveOnce(plan: LifePlan): Promise<boolean> {
  const child = fork(life, [JSON.stringify(plan)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += String(chunk);
  });
  child.on("message", ({ seed, number, told }: Acknowledgement) => {
    const history = plan.histories.find((one) => one.seed === seed);
    if (history !== undefined) history.told[number] = told;
  });
  const late = setTimeout(() => child.kill("SIGTERM"), lifeTimeoutMs);
  const [code, signal] = await once(child, "close");
  clearTimeout(late);
  if (signal === "SIGKILL") return true;
  if (code === 0) return false;
  throw new Error(
    `A life of the seeds ${plan.histories.map(({ seed }) => seed)} ended with ${signal ?? code}: ${output}`,
  );
}

async function check(
  { seed, dataDir, told }: History,
  nowMs: number,
  outcome: KilledHistories,
): Promise<void> {
  const steps = createSteps(seed);
  outcome.steps += steps.length;
  const stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir }), { now: () => nowMs });
  try {
    const fault =
      told.length === steps.length ? compare(stores, steps, told) : "not all steps were acknowledged";
    if (fault !== undefined) outcome.faults.push(`seed ${seed}: ${fault}`);
    outcome.deliveries += checkDeliveries(seed, dataDir, stores, outcome.faults);
  } finally {
    await stores.close();
  }
}

/** Every delivery of a webhook that is not deleted must have arrived, and nothing else. */
function checkDeliveries(
  seed: number,
  dataDir: string,
  { database }: SqliteStores,
  faults: string[],
): number {
  const file = join(dataDir, deliveredLog);
  const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
  const arrived = new Map<string, Set<string>>();
  for (const line of lines) {
    const { url, event }: Delivered = JSON.parse(line);
    arrived.set(url, (arrived.get(url) ?? new Set()).add(event));
  }
  const webhooks = database.connection
    .prepare<[], { rowId: number; url: string }>(
      "select row_id as rowId, url from webhooks where deleted_at is null",
    )
    .all();
  const sent = database.connection.prepare<[number], { event: string; status: string }>(
    `select e.id as event, d.status from deliveries d join webhook_events e on e.row_id = d.event_row_id
     where d.webhook_row_id = ?`,
  );
  let deliveries = 0;
  for (const { rowId, url } of webhooks) {
    const left = arrived.get(url) ?? new Set();
    for (const { event, status } of sent.all(rowId)) {
      deliveries += 1;
      if (status !== "succeeded" || !left.delete(event))
        faults.push(`seed ${seed}: ${event} was lost (${status})`);
    }
    for (const event of left) faults.push(`seed ${seed}: ${event} was invented`);
  }
  return deliveries;
}
