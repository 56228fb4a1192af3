// Runs as a separate process: the whole service with the sample catalog; requests over HTTP, with one thread and with two.
import { join } from "node:path";
import autocannon from "autocannon";
import { trialRequests } from "./figures.ts";
import { fillStore, startTextService } from "./text-service.ts";

export interface HttpFigures {
  readonly httpQps1: number;
  readonly httpQps2: number;
  readonly httpP99Ms: number;
  /** The whole service with two threads, after the load. */
  readonly httpRssMb: number;
  /** From starting the process to the first response, with the index saved by the last run. */
  readonly warmStartSeconds: number;
}

const [folder = "", products = "0", count = "0", seconds = "5"] = process.argv.slice(2);
const dataDir = join(folder, "data");
await fillStore(dataDir, Number(products));
// Builds the index and saves it.
await (await startTextService(dataDir, 1)).stop();
const one = await measure(1);
const two = await measure(2);
const figures: HttpFigures = {
  httpQps1: Math.round(one.perSecond),
  httpQps2: Math.round(two.perSecond),
  httpP99Ms: two.p99Ms,
  httpRssMb: Math.round(two.rssMb),
  warmStartSeconds: two.startSeconds,
};
process.stdout.write(JSON.stringify(figures));

async function measure(threads: number) {
  const service = await startTextService(dataDir, threads);
  try {
    await load(service.url, 2);
    const responded = await load(service.url, Number(seconds));
    return { ...responded, rssMb: service.residentMb(), startSeconds: service.startSeconds };
  } finally {
    await service.stop();
  }
}

async function load(url: URL, duration: number): Promise<{ perSecond: number; p99Ms: number }> {
  const requests = trialRequests(url, Number(count), Number(products)).map((path) => ({
    method: "GET" as const,
    path,
  }));
  const result = await autocannon({ url: url.origin, connections: 16, duration, requests });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 };
}
