// An interrupted npx leaves its child processes running: npx → sh → pnpm → sh → this one. None passes the signal on.
import { readFileSync } from "node:fs";

/**
 * Calls back when the pnpm that launched this process is gone, until the returned function is called. A service that a
 * shell or a process manager started directly is not affected. Works only on systems with /proc.
 */
export function watchLauncher(onGone: () => void): () => void {
  const depth = launcherDepth();
  if (depth === 0) return () => {};
  const launchers = ancestors(depth).join();
  const timer = setInterval(() => {
    if (ancestors(depth).join() === launchers) return;
    clearInterval(timer);
    onGone();
  }, 1000);
  timer.unref();
  return () => clearInterval(timer);
}

/** How many processes up the launch started: the shell in which pnpm runs scripts, pnpm, the shell of npx. */
function launcherDepth(): number {
  const [parent, grandparent, npx] = ancestors(3);
  if (isPnpm(parent)) return isNpx(grandparent) ? 2 : 1;
  if (isPnpm(grandparent)) return isNpx(npx) ? 3 : 2;
  return 0;
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

function isPnpm(pid: number | undefined): boolean {
  return /(^|\/|\0)pnpm(\.[cm]?js)?\0/.test(read(`/proc/${pid}/cmdline`));
}

/** A user may leave their own shell on purpose, but not the shell in which npx runs commands. */
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
