import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { ServersError } from "./run.ts";

/**
 * Starts a program that continues after this one ends. Its output goes to the log file, its process id to the pid
 * file.
 */
export function startInBackground(
  command: string,
  args: readonly string[],
  { pidFile, logFile }: { pidFile: string; logFile: string },
): void {
  const log = openSync(logFile, "a");
  const child = spawn(command, args, { detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  if (child.pid === undefined) throw new ServersError(`${command} could not be started.`);
  writeFileSync(pidFile, String(child.pid));
  child.unref();
}

/** The process id while it runs. */
export function runningPid(pidFile: string): number | undefined {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, "utf8").split("\n")[0]);
    process.kill(pid, 0);
  } catch {
    return undefined;
  }
  return pid;
}

export async function stopProcess(pidFile: string, signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
  const pid = runningPid(pidFile);
  if (pid !== undefined) {
    process.kill(pid, signal);
    const deadline = Date.now() + timeoutMs;
    while (runningPid(pidFile) !== undefined && Date.now() < deadline) await setTimeout(50);
    if (runningPid(pidFile) !== undefined) process.kill(pid, "SIGKILL");
  }
  rmSync(pidFile, { force: true });
}

/** Repeats the check until it succeeds. Fails with the end of the log. */
export async function waitUntil(
  isReady: () => Promise<boolean>,
  {
    what,
    timeoutMs,
    pidFile,
    logFile,
  }: { what: string; timeoutMs: number; pidFile: string; logFile: string },
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    if (await isReady().catch(() => false)) return;
    const ended = runningPid(pidFile) === undefined;
    if (ended || Date.now() > deadline) {
      const log = readFileSync(logFile, "utf8").trim().split("\n").slice(-15).join("\n");
      throw new ServersError(`${what} ${ended ? "ended" : "did not become ready in time"}:\n${log}`);
    }
    await setTimeout(100);
  }
}
