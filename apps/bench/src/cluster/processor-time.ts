import type { Part } from "../rehearsal/parts/part.ts";
import { endedChildrenMs, processorMs } from "./cpu-time.ts";

/** Milliseconds by kind of part; `command` is the import command. */
export type ProcessorTimes = Record<string, number>;

export interface Measured {
  seconds: number;
  processorMs: ProcessorTimes;
}

export async function measureProcessor(
  parts: readonly Part[],
  work: () => Promise<unknown>,
): Promise<Measured> {
  const read = () => parts.map((part) => processorMs(part.process.pid() ?? 0));
  const startedMs = performance.now();
  const before = read();
  const commandsBefore = endedChildrenMs(process.pid);
  await work();
  const after = read();
  const processorTimes: ProcessorTimes = { command: endedChildrenMs(process.pid) - commandsBefore };
  for (const [at, { kind }] of parts.entries()) {
    processorTimes[kind] = (processorTimes[kind] ?? 0) + (after[at] ?? 0) - (before[at] ?? 0);
  }
  return { seconds: (performance.now() - startedMs) / 1000, processorMs: processorTimes };
}

/** Milliseconds for each unit, above what the idle cluster uses in that time. */
export function perUnit(used: Measured, idle: Measured, units: number): ProcessorTimes {
  const entries = Object.entries(used.processorMs).map(([kind, ms]) => {
    const idleMs = ((idle.processorMs[kind] ?? 0) / idle.seconds) * used.seconds;
    return [kind, Math.round((Math.max(0, ms - idleMs) / units) * 1000) / 1000] as const;
  });
  return Object.fromEntries(entries);
}
