import {
  type GroupOutcome,
  runHistories,
} from "@product-search/api/testing/webhook-histories/run-histories.ts";
import { type Catcher, startCatcher } from "@product-search/testing/webhook-histories/catcher.ts";

export interface HistoriesFigures {
  histories: number;
  firstSeed: number;
  kills: number;
  interruptedHistories: number;
  events: number;
  attempts: number;
  lost: number;
  invented: number;
  faults: number;
  minutes: number;
  /** The failures by seed; empty if there are none. */
  details: string[];
}

const groupSize = 10;
const concurrentGroups = 2;

/** Many runs of the kill -9 tests. The same first seed gives the same histories. */
export async function measureHistories(histories: number, firstSeed: number): Promise<HistoriesFigures> {
  const startedMs = performance.now();
  const catcher = await startCatcher(firstSeed);
  const seeds = Array.from({ length: histories }, (_, number) => firstSeed + number);
  const groups: number[][] = [];
  while (seeds.length > 0) groups.push(seeds.splice(0, groupSize));
  const outcomes: GroupOutcome[] = [];
  const queue = groups.values();
  await Promise.all(
    Array.from({ length: concurrentGroups }, () => work(queue, catcher, outcomes, groups.length)),
  );
  await catcher.close();
  return { ...sum(outcomes), histories, firstSeed, minutes: (performance.now() - startedMs) / 60_000 };
}

async function work(
  queue: IterableIterator<number[]>,
  catcher: Catcher,
  outcomes: GroupOutcome[],
  total: number,
): Promise<void> {
  for (const group of queue) {
    outcomes.push(await runHistories(group, catcher));
    process.stderr.write(`\r${outcomes.length} of ${total} groups`);
  }
}

function sum(outcomes: readonly GroupOutcome[]) {
  const all = outcomes.flatMap(({ histories }) => histories);
  const total = (count: (history: (typeof all)[number]) => number) =>
    all.reduce((whole, history) => whole + count(history), 0);
  return {
    kills: outcomes.reduce((whole, { kills }) => whole + kills, 0),
    interruptedHistories: outcomes.reduce(
      (whole, { kills, histories }) => whole + kills * histories.length,
      0,
    ),
    events: total(({ events }) => events),
    attempts: total(({ attempts }) => attempts),
    lost: total(({ lost }) => lost.length),
    invented: total(({ invented }) => invented.length),
    faults: total(({ faults }) => faults.length),
    details: all.flatMap(({ seed, lost, invented, faults }) => [
      ...lost.map((one) => `${seed}: lost ${one}`),
      ...invented.map((one) => `${seed}: invented ${one}`),
      ...faults.map((one) => `${seed}: ${one}`),
    ]),
  };
}
