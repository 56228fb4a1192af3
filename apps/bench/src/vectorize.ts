import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { sampleProductInputs } from "@product-search/api/compose/sample-products.ts";
import { loadSample } from "@product-search/features/catalog/load-sample.ts";
import autocannon from "autocannon";
import { type BenchService, startBenchService } from "./support/bench-service.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench vectorize --data FOLDER [--seconds N] [--products N] [--json]

The service with two threads over the sample catalog: how long until its images can be searched; images vectorised a
second; and how far that moves text search's p99 at a quarter of its highest rate. The load generator shares the cores.

  --data FOLDER   images to send (each is sent with other bytes at its end, so that none is known already)
  --seconds N     how long each load lasts (default 6)
  --products N    of the sample (default 2400)`;

const text = { path: "/api/v1/search/trial?q=running+shoes" };

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      data: { type: "string" },
      seconds: { type: "string", default: "6" },
      products: { type: "string", default: "2400" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help || values.data === undefined) {
    console.log(help);
    return;
  }
  const products = wholeNumber("--products", values.products);
  const seconds = wholeNumber("--seconds", values.seconds);
  const images = readImages(values.data);
  const service = await startBenchService({
    environment: () => ({ THREADS: "2" }),
    fill: (stores, { currency }) =>
      loadSample(stores, sampleProductInputs(products, { currency, nowMs: stores.clock.now() })),
  });
  try {
    const figures = await measure(service, images, seconds);
    if (values.json) console.log(JSON.stringify(figures));
    else console.table(figures);
  } finally {
    await service.close();
  }
}

async function measure(service: BenchService, images: readonly Buffer[], duration: number) {
  const { root, token, readySeconds } = service;
  const startMb = service.residentMb();
  const searchText = (overallRate?: number) =>
    autocannon({
      url: root,
      connections: 8,
      duration,
      requests: [text],
      ...(overallRate !== undefined && { overallRate }),
    });
  const vectorise = () => sendImages(root, token, images, duration);
  await searchText();
  const most = await searchText();
  const quarter = Math.round(most.requests.average / 4);
  const quiet = await searchText(quarter);
  const alone = await vectorise();
  const [busy, beside] = await Promise.all([searchText(quarter), vectorise()]);
  return {
    readySeconds: round(readySeconds),
    textPerSecond: round(most.requests.average),
    textQuarterP99Ms: quiet.latency.p99,
    textQuarterP99BesideMs: busy.latency.p99,
    ratio: round(busy.latency.p99 / quiet.latency.p99),
    vectorisedPerSecond: round(alone.perSecond),
    vectorisedP50Ms: alone.p50Ms,
    vectorisedPerSecondBeside: round(beside.perSecond),
    refused: alone.refused + beside.refused,
    startMb: round(startMb),
    endMb: round(service.residentMb()),
  };
}

async function sendImages(root: string, token: string, images: readonly Buffer[], duration: number) {
  let sent = 0;
  const result = await autocannon({
    url: `${root}/api/v1/vectorize-image`,
    connections: 4,
    duration,
    requests: [
      {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        setupRequest(request) {
          sent += 1;
          const image = images[sent % images.length] ?? Buffer.alloc(0);
          const bytes = Buffer.concat([image, Buffer.from(`${process.hrtime.bigint()}`)]);
          return { ...request, body: JSON.stringify({ base64String: bytes.toString("base64") }) };
        },
      },
    ],
  });
  const refused = result.non2xx;
  return { perSecond: result["2xx"] / duration, p50Ms: result.latency.p50, refused };
}

function readImages(folder: string): Buffer[] {
  const files = readdirSync(folder).filter((file) => /\.jpe?g$/i.test(file));
  return files.slice(0, 200).map((file) => readFileSync(join(folder, file)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
