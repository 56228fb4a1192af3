import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Host } from "../network/network.ts";

export const partKinds = ["postgres", "opensearch", "service"] as const;
export type PartKind = (typeof partKinds)[number];

/** A part of the cluster that faults happen to. */
export interface Part {
  name: string;
  kind: PartKind;
  process: ServerProcess;
  /** The signal that ends it in order. */
  stopSignal: NodeJS.Signals;
  host: Host;
  isHealthy(): Promise<boolean>;
  /** Its state in words, to tell why it is not healthy. */
  describe(): Promise<string>;
}

/** What `describe` says, or that it failed. */
export async function describePart(part: Part): Promise<string> {
  const state = await part.describe().catch((error: unknown) => {
    return error instanceof Error ? `${error.message} (${error.name})` : String(error);
  });
  return `${part.name}: ${state}`;
}

export async function untilHealthy(part: Part, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline && !signal?.aborted) {
    if (await part.isHealthy().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

export interface ServerCommand {
  command: string;
  args: readonly string[];
  environment?: Record<string, string>;
  cwd: string;
  logFile: string;
  /** Whether it is started again when it ends by itself, as systemd would. */
  restarts?: boolean;
}

/** A server that can be killed, paused and started again. */
interface ServerProcess {
  pid(): number | undefined;
  start(): void;
  /** SIGKILL, also to its child processes. */
  kill(): Promise<void>;
  /** Asks it to end; kills it after a time. */
  stop(signal: NodeJS.Signals, timeoutMs: number): Promise<void>;
  pause(): void;
  resume(): void;
  /** Leaves the processor to the other servers, which would be on other machines, or shares it with them again. */
  yieldProcessor(yields: boolean): void;
}

const restartMs = 1000;
/** All that run, so that none is left behind when this process ends. */
const running = new Map<ServerProcess, (signal: NodeJS.Signals) => void>();
process.once("exit", () => {
  for (const signalAll of running.values()) signalAll("SIGKILL");
});

export function createServerProcess(server: ServerCommand): ServerProcess {
  let child: ChildProcess | undefined;
  let ended: Promise<void> = Promise.resolve();
  let isWanted = false;
  const signalAll = (signal: NodeJS.Signals) => {
    if (child?.pid !== undefined) for (const pid of withChildren(child.pid)) send(pid, signal);
  };
  const start = () => {
    isWanted = true;
    const started = spawnServer(server);
    child = started;
    ended = new Promise((resolve) => {
      started.once("close", () => {
        if (child === started) child = undefined;
        resolve();
        if (isWanted && server.restarts) setTimeout(() => isWanted && !child && start(), restartMs);
      });
    });
  };
  const self: ServerProcess = {
    pid: () => child?.pid,
    start() {
      running.set(self, signalAll);
      if (!child) start();
    },
    async kill() {
      isWanted = false;
      signalAll("SIGKILL");
      await ended;
      running.delete(self);
    },
    async stop(signal, timeoutMs) {
      isWanted = false;
      if (child?.pid !== undefined) send(child.pid, signal);
      await Promise.race([ended, delay(timeoutMs, undefined, { ref: false })]);
      await self.kill();
    },
    yieldProcessor(yields) {
      if (child?.pid !== undefined) setSessionPriority(child.pid, yields ? yieldingPriority : 0);
    },
    pause: () => signalAll("SIGSTOP"),
    resume: () => signalAll("SIGCONT"),
  };
  return self;
}

export async function killAll(): Promise<void> {
  await Promise.all([...running.keys()].map((server) => server.kill()));
}

function spawnServer({ command, args, environment, cwd, logFile }: ServerCommand): ChildProcess {
  const log = openSync(logFile, "a");
  // In a session of its own: Ctrl-C in the terminal reaches this process only, which then ends the servers.
  const child = spawn(command, args, {
    cwd,
    detached: true,
    stdio: ["ignore", log, log],
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...environment },
  });
  closeSync(log);
  child.once("error", () => {});
  return child;
}

/** About a third of the usual share. */
const yieldingPriority = 5;

/** Each server is a session of its own. Linux shares the processor among sessions where it groups tasks automatically. */
function setSessionPriority(pid: number, priority: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(priority));
  } catch {
    // It has ended, or tasks are not grouped here.
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}

/** PostgreSQL has a process for each connection, in sessions of their own. */
function withChildren(pid: number): number[] {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program is in parentheses, and may contain spaces.
    return Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]);
  } catch {
    return undefined;
  }
}
