// An interrupted npx leaves what it started behind: npx → sh → pnpm → sh → this process. None of them passes the signal on.
import { readFileSync } from "node:fs";

/**
 * Calls back when the processes that launched this one are gone, until the returned function is called. Beyond the
 * parent only where /proc tells of them.
 */
export function watchLauncher(onGone: () => void): () => void {
  const depth = isNpx(ancestors(3)[2]) ? 3 : 2;
  const launchers = ancestors(depth).join();
  const timer = setInterval(() => {
    if (ancestors(depth).join() === launchers) return;
    clearInterval(timer);
    onGone();
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}

function ancestors(depth: number): number[] {
  const found = [process.ppid];
  while (found.length < depth) found.push(parentOf(found.at(-1) ?? 0));
  return found;
}

function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}

/** A shell of one's own may be left on purpose; the one that npx runs commands in is not. */
function isNpx(pid: number | undefined): boolean {
  return /^sh\0-c\0|npm|npx/.test(read(`/proc/${pid}/cmdline`));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
