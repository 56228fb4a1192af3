import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { type HostileRequests, hostileRequests } from "./hostile-requests.ts";

export const loadKinds = ["burst-closed", "burst-kept", "questions", "lists"] as const;
export type LoadKind = (typeof loadKinds)[number];

export interface LoadThreadData {
  readonly kind: LoadKind;
  readonly root: string;
  readonly token: string;
  readonly products: number;
  readonly seconds: number;
  readonly burst: number;
  readonly connections: number;
}

/** What the hostile client got: how often each status, and how often none. */
export type LoadReport = Readonly<Record<string, number>>;

const burstMs = 300;
/** Clients that keep their connections give up after this time. */
const keptMs = 60_000;

if (parentPort !== null) {
  const data: LoadThreadData = workerData;
  parentPort.postMessage(await load(data, hostileRequests(data.products)));
  parentPort.close();
}

async function load(data: LoadThreadData, requests: HostileRequests): Promise<LoadReport> {
  const statuses = new Map<string, number>();
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const isBurst = data.kind.startsWith("burst");
  const agent = new Agent({ keepAlive: !isBurst, maxSockets: isBurst ? data.burst : data.connections });
  // Another seed for each run: the caches of the service must not help.
  let number = Date.now() % 1_000_000;
  const send = (signal: AbortSignal) => sendOne(data, agent, requests, number++, signal).then(count);
  if (isBurst) await sendBurst(data, send);
  else await sendWithoutPause(data, send);
  agent.destroy();
  return Object.fromEntries(statuses);
}

/** All within a short time; then either the connections are closed, or the client waits for the answers. */
async function sendBurst(
  { kind, burst, seconds }: LoadThreadData,
  send: (signal: AbortSignal) => Promise<unknown>,
) {
  const closing = new AbortController();
  const startMs = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < burst; at++) {
    sent.push(send(closing.signal));
    if (at % 20 === 19) await pause(Math.max(0, startMs + (burstMs * at) / burst - performance.now()));
  }
  await pause(kind === "burst-closed" ? 0 : Math.min(keptMs, seconds * 1000));
  closing.abort();
  await Promise.all(sent);
}

async function sendWithoutPause(
  { connections, seconds }: LoadThreadData,
  send: (signal: AbortSignal) => Promise<unknown>,
) {
  const ending = AbortSignal.timeout(seconds * 1000);
  const client = async () => {
    while (!ending.aborted) await send(ending);
  };
  await Promise.all(Array.from({ length: connections }, client));
}

function sendOne(
  { kind, root, token }: LoadThreadData,
  agent: Agent,
  requests: HostileRequests,
  number: number,
  signal: AbortSignal,
): Promise<string> {
  const isList = kind === "lists";
  const path = `/api/v1${isList ? requests.lists(number) : "/deep-search"}`;
  const authorization = `Bearer ${token}`;
  const body = isList ? "" : JSON.stringify({ query: requests.question(number) });
  const headers = isList
    ? { authorization }
    : { authorization, "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const sent = request(`${root}${path}`, { agent, headers, method: isList ? "GET" : "POST", signal });
    sent.once("response", (response) => {
      response.resume();
      response.once("end", () => resolve(String(response.statusCode)));
      response.once("error", () => resolve("closed"));
    });
    sent.once("error", (error) => resolve(error.name === "AbortError" ? "closed" : error.message));
    sent.end(body);
  });
}
