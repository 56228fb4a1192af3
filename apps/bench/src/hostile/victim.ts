import { Agent, get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

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
export async function timed(
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
