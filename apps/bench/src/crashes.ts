import { parseArgs } from "node:util";
import { runKilledHistories } from "@product-search/api/testing/crash-histories/run-killed.ts";
import { checkStoreStates } from "@product-search/api/testing/crash-histories/store-states.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench crashes [--kills N] [--states N] [--seed N] [--json]

Random histories of webhooks, imports, idempotent requests, rotations and deliveries, compared with what was acknowledged:

  --kills N    until a process was killed N times with kill -9 at random writes (default 50)
  --states N   until N stores were reopened, each with another prefix of a history's writes (default 1000)
  --seed N     of the first history (default 1); the same seed gives the same histories

Set TMPDIR to a folder in memory to go faster. Ends with 1 when anything was lost, invented or done twice.`;

const historiesAtOnce = 6;
const killsOfGroup = 10;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "50" },
      states: { type: "string", default: "1000" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const seed = wholeNumber("--seed", values.seed, 0);
  const figures = {
    killed: await kill(wholeNumber("--kills", values.kills, 0), seed),
    reopened: await reopen(wholeNumber("--states", values.states, 0), seed),
  };
  const faults = [...figures.killed.faults, ...figures.reopened.faults];
  if (faults.length > 0) process.exitCode = 1;
  console.log(values.json ? JSON.stringify(figures) : figures);
}

async function kill(count: number, firstSeed: number) {
  const total = { kills: 0, histories: 0, steps: 0, deliveries: 0, minutes: 0, faults: [] as string[] };
  const startedMs = performance.now();
  while (total.kills < count) {
    const seeds = Array.from({ length: historiesAtOnce }, (_, at) => firstSeed + total.histories + at);
    const { kills, steps, deliveries, faults } = await runKilledHistories(seeds, killsOfGroup);
    total.kills += kills;
    total.histories += seeds.length;
    total.steps += steps;
    total.deliveries += deliveries;
    total.faults.push(...faults);
    process.stderr.write(`\r${total.kills} of ${count} kills`);
  }
  return { ...total, minutes: minutesSince(startedMs) };
}

async function reopen(count: number, firstSeed: number) {
  const total = { states: 0, histories: 0, minutes: 0, faults: [] as string[] };
  const startedMs = performance.now();
  while (total.states < count) {
    const { states, faults } = await checkStoreStates(firstSeed + total.histories);
    total.states += states;
    total.histories += 1;
    total.faults.push(...faults);
    process.stderr.write(`\r${total.states} of ${count} states`);
  }
  return { ...total, minutes: minutesSince(startedMs) };
}

function minutesSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) / 6000) / 10;
}
