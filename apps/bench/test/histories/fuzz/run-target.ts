import { setImmediate as nextTurn, setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createRandom, type Random } from "./mutate.ts";

export interface FuzzTarget {
  /** The maximum time for an input. */
  maxMs: number;
  /** The maximum growth of memory in use over the run, in megabytes. */
  maxGrowthMb: number;
  next(random: Random): Uint8Array;
  /** Processes the input and returns a summary. Anything that it throws is a finding. */
  run(input: Uint8Array): Promise<"accepted" | "refused">;
  close?(): Promise<void>;
}

export interface FuzzFigures {
  inputs: number;
  accepted: number;
  refused: number;
  slowestMs: number;
  growthMb: number;
  findings: string[];
}

const maxFindings = 20;
/** How much of a finding's input is printed. */
const shownBytes = 300;
const warmUpInputs = 200;
/** How often an input is tried that takes too long. */
const maxAttempts = 3;

/** The same seed gives the same inputs. */
export async function runTarget(
  target: FuzzTarget,
  { inputs, seed, onProgress }: { inputs: number; seed: number; onProgress?: (done: number) => void },
): Promise<FuzzFigures> {
  const figures: FuzzFigures = { inputs, accepted: 0, refused: 0, slowestMs: 0, growthMb: 0, findings: [] };
  const random = createRandom(seed);
  let startBytes = await settledMemory();
  for (let done = 0; done < inputs && figures.findings.length < maxFindings; done++) {
    if (done === warmUpInputs) startBytes = await settledMemory();
    await runInput(target, target.next(random), figures);
    if (done % 100 === 0) {
      onProgress?.(done);
      await nextTurn();
    }
  }
  figures.growthMb = ((await settledMemory()) - startBytes) / 1e6;
  if (figures.growthMb > target.maxGrowthMb) {
    figures.findings.push(
      `memory grew by ${figures.growthMb.toFixed(0)} MB; allowed: ${target.maxGrowthMb} MB`,
    );
  }
  return figures;
}

async function runInput(target: FuzzTarget, input: Uint8Array, figures: FuzzFigures): Promise<void> {
  const describe = (fault: string) =>
    `${fault}: ${JSON.stringify(Buffer.from(input).toString("latin1").slice(0, shownBytes))}`;
  try {
    const { outcome, tookMs } = await leastTime(target, input);
    figures[outcome] += 1;
    figures.slowestMs = Math.max(figures.slowestMs, tookMs);
    if (tookMs > target.maxMs)
      figures.findings.push(describe(`took ${tookMs.toFixed(0)} ms, allowed: ${target.maxMs} ms`));
  } catch (error) {
    figures.findings.push(describe(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  }
}

/** On a busy machine any input may take long once. An input that is slow itself is slow each time. */
async function leastTime(target: FuzzTarget, input: Uint8Array) {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 1; ; attempt++) {
    const startedMs = performance.now();
    const outcome = await target.run(input);
    least = Math.min(least, performance.now() - startedMs);
    if (least <= target.maxMs || attempt === maxAttempts) return { outcome, tookMs: least };
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Bytes in use after garbage collection. Other threads free buffers later: it waits until nothing more is freed. */
async function settledMemory(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let unchanged = 0; unchanged < 3; unchanged++) {
    collectGarbage();
    await setTimeout(20);
    const { heapUsed, external } = process.memoryUsage();
    const used = heapUsed + external;
    if (used < least - 100_000) unchanged = 0;
    least = Math.min(least, used);
  }
  return least;
}
