import { Agent } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { send } from "./dearest.ts";
import type { SentRequest } from "./draw-requests.ts";

export interface LoadThreadData {
  readonly root: string;
  readonly token: string;
  readonly seconds: number;
  readonly connections: number;
  readonly requests: readonly SentRequest[];
}

/** How often the hostile client got each status; 0 where it got none, "unfinished" where the attack ended first. */
export type LoadReport = Readonly<Record<string, number>>;

/** The limits of a minute, which may all be sent at once. */
const withToken = 3000;
const withoutToken = 120;

if (parentPort !== null) {
  const data: LoadThreadData = workerData;
  parentPort.postMessage(await load(data));
  parentPort.close();
}

async function load({ requests, seconds, connections, ...target }: LoadThreadData): Promise<LoadReport> {
  const outcomes = new Map<string, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ending = AbortSignal.timeout(seconds * 1000);
  let left = { token: withToken, none: withoutToken };
  let next = 0;
  const client = async () => {
    while (!ending.aborted) {
      const request = requests[next++ % requests.length];
      const kind = request?.hasToken === true ? "token" : "none";
      if (left.token === 0 || request === undefined) return;
      if (left[kind] === 0) continue;
      left = { ...left, [kind]: left[kind] - 1 };
      const status = await send(target, request, agent, ending);
      const outcome = status === 0 && ending.aborted ? "unfinished" : String(status);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
  return Object.fromEntries(outcomes);
}
