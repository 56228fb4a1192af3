import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { wholeNumber } from "./support/whole-number.ts";

/** 97.5th percentile of Student's t distribution, by degrees of freedom from 1 to 30. */
const studentT = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const normal = 1.96;

interface MeanRatio {
  /** The geometric mean. */
  ratio: number;
  /** Its 95 % confidence interval. */
  low: number;
  high: number;
}

/** The mean of the ratios of pairs. */
function meanRatio(ratios: readonly number[]): MeanRatio {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (logs.length - 1);
  const margin = (studentT[logs.length - 2] ?? normal) * Math.sqrt(variance / logs.length);
  const round = (value: number) => Math.round(Math.exp(value) * 10_000) / 10_000;
  return { ratio: round(mean), low: round(mean - margin), high: round(mean + margin) };
}

const help = `Usage: pnpm bench tracing [--pairs N] [--requests N] [--warm-up N] [--sampled 0.1] [--json]

Processor time of a request through the frame (routes, token, limits, validation, serialisation) with tracing beside the
same without, by turns. The spans are sent to a collector in the process of the load generator, which is not counted.

  --warm-up N  requests before the first pair, until the code is compiled (default 200000)`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      pairs: { type: "string", default: "20" },
      requests: { type: "string", default: "5000" },
      "warm-up": { type: "string", default: "200000" },
      sampled: { type: "string", default: "0.1" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const requests = wholeNumber("--requests", values.requests);
  const turns = wholeNumber("--pairs", values.pairs);
  const warmUp = wholeNumber("--warm-up", values["warm-up"]);
  const collector = await startCollector();
  const off = await startFrame({});
  const on = await startFrame({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: values.sampled,
  });
  try {
    for (const frame of [off, on]) await load(frame, warmUp);
    const pairs: { off: number; on: number }[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const before = [await off.processorMs(), await on.processorMs()] as const;
      for (const frame of turn % 2 === 0 ? [off, on] : [on, off]) await load(frame, requests);
      // What an idle frame does meanwhile, such as sending spans, counts as well.
      pairs.push({
        off: ((await off.processorMs()) - before[0]) / requests,
        on: ((await on.processorMs()) - before[1]) / requests,
      });
    }
    const figures = {
      pairs: pairs.length,
      requestsEach: requests,
      sampled: Number(values.sampled),
      offMicroseconds: meanMicroseconds(pairs.map((pair) => pair.off)),
      onMicroseconds: meanMicroseconds(pairs.map((pair) => pair.on)),
      ...meanRatio(pairs.map((pair) => pair.on / pair.off)),
      requestsTraced: warmUp + requests * pairs.length,
      spansReceived: collector.spans(),
    };
    if (values.json) console.log(JSON.stringify(figures));
    else console.table(figures);
  } finally {
    for (const { child } of [off, on]) child.disconnect();
    collector.close();
  }
}

interface Frame {
  child: ChildProcess;
  url: string;
  token: string;
  /** Of all its threads, since its start. */
  processorMs(): Promise<number>;
}

async function startFrame(settings: Record<string, string>): Promise<Frame> {
  const script = fileURLToPath(new URL("./support/frame-process.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(settings)]);
  const [started]: Pick<Frame, "url" | "token">[] = await once(child, "message");
  if (started === undefined) throw new Error("The frame did not start.");
  return {
    ...started,
    child,
    async processorMs() {
      child.send("report");
      const [report]: { processorMs: number }[] = await once(child, "message");
      return report?.processorMs ?? Number.NaN;
    },
  };
}

async function load({ url, token }: Frame, amount: number): Promise<void> {
  const { non2xx, errors } = await autocannon({
    url: `${url}/api/v1/search/marketplace-a?q=running%20shoes&count=5`,
    headers: { authorization: `Bearer ${token}` },
    connections: 32,
    amount,
  });
  if (non2xx + errors > 0) throw new Error(`${non2xx + errors} of ${amount} requests failed.`);
}

/** Receives spans as a collector does, and counts them. */
async function startCollector() {
  let spans = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    spans += Buffer.concat(chunks).toString().split('"traceId"').length - 1;
    response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function meanMicroseconds(milliseconds: readonly number[]): number {
  const mean = milliseconds.reduce((sum, value) => sum + value, 0) / milliseconds.length;
  return Math.round(mean * 10_000) / 10;
}
