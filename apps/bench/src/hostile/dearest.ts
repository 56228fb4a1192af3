import { readdirSync, readFileSync } from "node:fs";
import { Agent, get, request as sendRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "@product-search/sample-catalog";
import {
  drawRequest,
  type HostileRequest,
  mutate,
  type SentRequest,
  targets,
  toSent,
} from "./draw-requests.ts";

export interface Dearest {
  readonly request: HostileRequest;
  readonly status: number;
  /** Of all threads of the service. */
  readonly processorMs: number;
  /** The longest that a health check waited meanwhile. */
  readonly healthMs: number;
}

export interface HostileTarget {
  readonly pid: number;
  readonly root: string;
  readonly token: string;
  readonly productIds: readonly string[];
}

/** So many are kept of each operation, and changed. */
const kept = 5;

/** The dearest requests of each operation that a random search finds, each measured again. */
export async function findDearest(target: HostileTarget, draws: number, random: Random): Promise<Dearest[]> {
  const agent = new Agent({ keepAlive: true });
  const found: Dearest[] = [];
  for (const name of targets) {
    let best: Dearest[] = [];
    const tryOne = async (request: HostileRequest) => {
      best = keep([...best, await measure(target, request, agent)]);
    };
    for (let draw = 0; draw < draws; draw++) await tryOne(drawRequest(name, random));
    for (let draw = 0; draw < draws; draw++) {
      const parent = best[random.integer(0, best.length - 1)];
      if (parent !== undefined) await tryOne(mutate(parent.request, random));
    }
    for (const { request } of best) {
      const again = [await measure(target, request, agent), await measure(target, request, agent)];
      found.push(...keep(again).slice(-1));
    }
  }
  agent.destroy();
  return found;
}

/** The dearest first. What the service refuses costs little, and is kept only if nothing else is there. */
function keep(all: readonly Dearest[]): Dearest[] {
  return all.toSorted((one, other) => other.processorMs - one.processorMs).slice(0, kept);
}

async function measure(target: HostileTarget, request: HostileRequest, agent: Agent): Promise<Dearest> {
  const before = threadsMs(target.pid);
  const checking = new AbortController();
  const health = watchHealth(target.root, agent, checking.signal);
  const status = await send(target, toSent(request, target.productIds), agent);
  checking.abort();
  const { longestMs, checks } = await health;
  // A check takes about a quarter of a millisecond.
  const processorMs = Math.max(0, threadsMs(target.pid) - before - checks / 4);
  return { request, status, processorMs, healthMs: longestMs };
}

async function watchHealth(root: string, agent: Agent, signal: AbortSignal) {
  let longestMs = 0;
  let checks = 0;
  while (!signal.aborted) {
    longestMs = Math.max(longestMs, await timed(`${root}/healthz`, agent));
    checks += 1;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { longestMs, checks };
}

/** See /proc/PID/task/TID/schedstat: nanoseconds on a processor, of each thread that lives. */
function threadsMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    try {
      return sum + Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]) / 1e6;
    } catch {
      // The thread has just ended.
      return sum;
    }
  }, 0);
}

/** The status, or 0 if there is none. */
export function send(
  { root, token }: Pick<HostileTarget, "root" | "token">,
  { method, path, body, hasToken }: SentRequest,
  agent: Agent,
  signal?: AbortSignal,
): Promise<number> {
  const headers = {
    ...(hasToken && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
  };
  return new Promise((resolve) => {
    const sent = sendRequest(`${root}${path}`, { agent, headers, method, ...(signal && { signal }) });
    sent.once("response", (response) => {
      response.resume();
      response.once("close", () => resolve(response.statusCode ?? 0));
    });
    sent.once("error", () => resolve(0));
    sent.end(body);
  });
}

/** Requests of the others a second. Their times count from when they should have been sent. */
const searchesPerSecond = 50;
const checksPerSecond = 20;
const words = ["lamp", "running shoes", "wool blanket", "desk", "mug", "rain jacket", "chair", "backpack"];

interface Measured {
  readonly root: string;
  readonly token: string;
}

/** How long searches of an ordinary client and health checks take. */
export async function measureVictim({ root, token }: Measured, seconds: number) {
  const agent = new Agent({ keepAlive: true });
  const refusals: string[] = [];
  const searches = atRate(searchesPerSecond, seconds, (at) =>
    timed(
      `${root}/api/v1/search/catalog?q=${encodeURIComponent(words[at % words.length] ?? "")}`,
      agent,
      token,
      (reply) => refusals.push(reply),
    ),
  );
  const checks = atRate(checksPerSecond, seconds, () => timed(`${root}/healthz`, agent));
  const [search, health] = [quantiles(await searches), quantiles(await checks)];
  agent.destroy();
  return {
    searchP50Ms: search.p50,
    searchP99Ms: search.p99,
    searchMaxMs: search.max,
    healthP99Ms: health.p99,
    healthMaxMs: health.max,
    ...(refusals.length > 0 && { refusedSearches: refusals.length, firstRefusal: refusals[0] }),
  };
}

/** Sends at a constant rate, whether or not earlier ones have finished, and adds how late each was sent. */
async function atRate(
  perSecond: number,
  seconds: number,
  send: (at: number) => Promise<number>,
): Promise<number[]> {
  const startMs = performance.now();
  const times: Promise<number>[] = [];
  for (let at = 0; at < perSecond * seconds; at++) {
    const plannedMs = startMs + (at * 1000) / perSecond;
    await pause(Math.max(0, plannedMs - performance.now()));
    const lateMs = Math.max(0, performance.now() - plannedMs - 1);
    times.push(send(at).then((ms) => ms + lateMs));
  }
  return Promise.all(times);
}

/** Milliseconds until the response was read. `onRefusal` gets a response that is not a success. */
async function timed(
  url: string,
  agent: Agent,
  token?: string,
  onRefusal?: (reply: string) => void,
): Promise<number> {
  const startMs = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await new Promise<void>((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        if (response.statusCode !== 200) text += chunk;
      });
      response.once("end", () => {
        if (response.statusCode !== 200) onRefusal?.(`${response.statusCode} ${text}`);
        resolve();
      });
    }).once("error", reject);
  });
  return performance.now() - startMs;
}

function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
