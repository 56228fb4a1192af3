import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Catcher, Caught } from "@product-search/testing/webhook-histories/catcher.ts";
import {
  createHistory,
  createKills,
  expectedEvents,
  type History,
  type Kill,
} from "@product-search/testing/webhook-histories/history.ts";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import type { LifePlan } from "./life.ts";

export interface HistoryOutcome {
  seed: number;
  /** The number of events that its webhooks should have got, and of attempts. */
  events: number;
  attempts: number;
  lost: string[];
  invented: string[];
  faults: string[];
}

export interface GroupOutcome {
  histories: HistoryOutcome[];
  /** The number of kills. A life may end before the write at which it should be killed. */
  kills: number;
}

const startMs = Date.UTC(2026, 4, 1);
const speed = 5000;
const lifeTimeoutMs = 120_000;
const life = new URL("./life.ts", import.meta.url);

/**
 * Runs several histories in one process, which is killed where their seeds say, and compares the deliveries with the
 * changes. Several at once only because starting a process is slow.
 */
export async function runHistories(seeds: readonly number[], catcher: Catcher): Promise<GroupOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "histories-"));
  const kills = createKills(seeds[0] ?? 0, seeds.length);
  try {
    const histories = seeds.map((seed) => ({
      history: createHistory(seed),
      dataDir: join(folder, String(seed)),
    }));
    const caught: Map<string, Caught>[] = [];
    for (const { history, dataDir } of histories) caught.push(await register(history, dataDir, catcher));
    const lived = await live(
      histories.map(({ history, dataDir }) => ({ seed: history.seed, dataDir })),
      kills,
    );
    return {
      kills: lived.kills,
      histories: histories.map(({ history }, at) => compare(history, caught[at] ?? new Map(), lived.faults)),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function register(
  history: History,
  dataDir: string,
  { url, watch }: Catcher,
): Promise<Map<string, Caught>> {
  const stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" }));
  const { id: accountId } = await stores.accountStore.ensureAccount("partner");
  const caught = new Map<string, Caught>();
  for (const [number, { path, type, productIds }] of history.webhooks.entries()) {
    const key = `whsec_${Buffer.from(`key ${history.seed} ${number}`.padEnd(24)).toString("base64")}`;
    const target = `/${history.seed}${path}`;
    await stores.webhookStore.create(
      { accountId, url: `${url}${target}`, type, key, ...(productIds && { productIds }) },
      100,
    );
    caught.set(path, watch(target, key));
  }
  await stores.close();
  return caught;
}

async function live(
  histories: LifePlan["histories"],
  planned: readonly Kill[],
): Promise<{ kills: number; faults: string[] }> {
  let nowMs = startMs;
  let sinceMs = Date.now();
  let kills = 0;
  for (const kill of [...planned, undefined]) {
    const plan: LifePlan = { histories, nowMs, sinceMs, ...(kill && { atWrite: kill.atWrite }) };
    const { code, signal, output } = await liveOnce(plan);
    if (code === 0) return { kills, faults: [] };
    if (kill === undefined || signal !== "SIGKILL") {
      return { kills, faults: [`a life ended with ${signal ?? `code ${code}`}: ${output}`] };
    }
    kills += 1;
    nowMs += (Date.now() - sinceMs) * speed + kill.jumpMs;
    sinceMs = Date.now();
  }
  return { kills, faults: ["no life came to its end"] };
}

async function liveOnce(plan: LifePlan) {
  const child = fork(life, [JSON.stringify(plan)], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += String(chunk);
  });
  const late = setTimeout(() => child.kill("SIGTERM"), lifeTimeoutMs);
  const [code, signal]: [number | null, string | null] = await once(child, "close").then(([c, s]) => [c, s]);
  clearTimeout(late);
  return { code, signal, output };
}

function compare(history: History, caught: Map<string, Caught>, faults: readonly string[]): HistoryOutcome {
  const outcome: HistoryOutcome = {
    seed: history.seed,
    events: 0,
    attempts: 0,
    lost: [],
    invented: [],
    faults: [...faults],
  };
  for (const [path, expected] of expectedEvents(history)) {
    const {
      changes,
      attempts,
      faults: seen,
    } = caught.get(path) ?? { changes: new Map(), attempts: 0, faults: [] };
    const arrived = [...changes.values()];
    outcome.events += expected.length;
    outcome.attempts += attempts;
    outcome.lost.push(...without(expected, arrived));
    outcome.invented.push(...without(arrived, expected));
    outcome.faults.push(...seen);
  }
  return outcome;
}

/** The elements of `all` after each element of `some` has removed an equal one. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...all];
  for (const one of some) {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
