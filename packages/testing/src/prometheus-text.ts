import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "./outbound-http/listen.ts";

/** Reads metrics in Prometheus's text format: the labels of each series, by its name. */
export function labelsBySeries(text: string): Map<string, Set<string>> {
  const series = new Map<string, Set<string>>();
  for (const line of text.split("\n")) {
    const [, name, labels = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    series.set(name, known);
  }
  return series;
}

export interface NamesInQuery {
  metrics: string[];
  /** Of matchers and of `by` and `without`. */
  labels: string[];
}

const words = new Set(["and", "or", "unless", "by", "without", "on", "ignoring", "bool", "offset"]);

/** The metrics and labels in a PromQL query. It does not validate the query; promtool does. */
export function namesInQuery(query: string): NamesInQuery {
  const labels = new Set<string>();
  const withoutTexts = query.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').replaceAll(/\[[^\]]*\]/g, "");
  const withoutGroups = withoutTexts.replaceAll(
    /\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g,
    (_, list: string) => {
      for (const label of list.split(",")) if (label.trim() !== "") labels.add(label.trim());
      return "";
    },
  );
  const withoutMatchers = withoutGroups.replaceAll(/\{([^}]*)\}/g, (_, list: string) => {
    for (const [, label = ""] of list.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) labels.add(label);
    return "";
  });
  const names = [...withoutMatchers.matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)(?!\w*\s*\()/g)].map(
    ([, name = ""]) => name,
  );
  return { metrics: names.filter((name) => !words.has(name)), labels: [...labels] };
}

export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes?: { key: string; value: { stringValue?: string } }[];
}
interface OtlpRequest {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

interface OtlpCollector {
  url: string;
  spans: OtlpSpan[];
  /** With the headers that the service sent, unless a collector of its own is between. */
  requests: IncomingMessage[];
  isDirect: boolean;
  close(): Promise<void>;
}

/**
 * Receives spans, as JSON. With the path of an OpenTelemetry collector in OTEL_COLLECTOR, the spans are sent to that collector, which
 * passes them on to here.
 */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const spans: OtlpSpan[] = [];
  const requests: IncomingMessage[] = [];
  const server = createServer(async (request, response) => {
    requests.push(request);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: OtlpRequest = JSON.parse(Buffer.concat(chunks).toString());
    for (const { scopeSpans } of body.resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader("content-type", "application/json").end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const program = process.env.OTEL_COLLECTOR;
  const real = program === undefined ? undefined : await startProgram(program, url);
  return {
    url: real?.url ?? url,
    spans,
    requests,
    isDirect: real === undefined,
    async close() {
      await real?.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A collector that passes on at once what it receives. */
async function startProgram(program: string, target: string) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "otel-collector-"));
  const configFile = join(folder, "config.yaml");
  writeFileSync(
    configFile,
    `receivers: { otlp: { protocols: { http: { endpoint: "127.0.0.1:${port}", include_metadata: true } } } }
exporters: { otlphttp: { endpoint: "${target}", encoding: json, compression: none, sending_queue: { enabled: false } } }
service:
  telemetry: { metrics: { level: none } }
  pipelines: { traces: { receivers: [otlp], exporters: [otlphttp] } }
`,
  );
  const child = spawn(program, ["--config", configFile], { stdio: "ignore" });
  const exit = once(child, "exit");
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}.`);
    await setTimeout(50);
  }
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await exit;
      rmSync(folder, { recursive: true });
    },
  };
}
