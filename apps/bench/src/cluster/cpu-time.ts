import { readdirSync, readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second. */
const ticksPerSecond = 100;

/** Milliseconds of processor time of a process since its start, with those of its child processes, live and ended. */
export function processorMs(pid: number): number {
  const own = readStat(pid);
  if (!own) return 0;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + (child?.ticks ?? 0), own.ticks + own.endedTicks);
  return (ticks * 1000) / ticksPerSecond;
}

/** Of child processes of a process that have ended. */
export function endedChildrenMs(pid: number): number {
  return ((readStat(pid)?.endedTicks ?? 0) * 1000) / ticksPerSecond;
}

interface Stat {
  parent: number;
  ticks: number;
  /** Of children that have ended. */
  endedTicks: number;
}

/** See proc_pid_stat(5). */
function readStat(pid: number): Stat | undefined {
  try {
    // The second field is the name of the program in parentheses, and may contain spaces.
    const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "")
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
    return { parent: fields[1] ?? 0, ticks: user + system, endedTicks: endedUser + endedSystem };
  } catch {
    return undefined;
  }
}
