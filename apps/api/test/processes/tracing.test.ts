import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { ebayCredentials, ebayItem, startEbay } from "../../testing/marketplaces/ebay-server.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}
interface OtlpRequest {
  resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
}

/** Receives what the exporter sends, like a collector. */
async function startCollector() {
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
  onTestFinished(() => void server.close());
  return { spans, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function startService(settings: Record<string, string>) {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const environment = { DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "warn", ...settings };
  const feed = join(dataDir, "feed.jsonl");
  writeFileSync(feed, nativeLine("a"));
  await run(["import", feed, "--source", "catalog"], { DATA_DIR: dataDir }).exit;
  const made = run(
    ["token", "create", "--account", "a", "--scopes", "search,webhooks", "--json"],
    environment,
  );
  await made.exit;
  const service = await serve(environment);
  onTestFinished(() => void service.child.kill("SIGKILL"));
  while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
  return { ...service, dataDir, token: JSON.parse(made.output()).token };
}

test("a request is a trace with its feature, the calls of the feature, and the marketplace, which gets its traceparent", {
  timeout: 60_000,
}, async () => {
  const collector = await startCollector();
  const ebay = await startEbay([ebayItem(1)]);
  onTestFinished(() => ebay.close());
  const profileFile = join(makeDataDir(), "ebay.yaml");
  onTestFinished(() => removeDataDir(join(profileFile, "..")));
  const profile = readFileSync(new URL("../../profiles/ebay-browse.yaml", import.meta.url), "utf8")
    .replaceAll("https://api.ebay.com/identity", `${ebay.baseUrl}/identity`)
    .replace("baseUrl: https://api.ebay.com", `baseUrl: ${ebay.baseUrl}`);
  writeFileSync(profileFile, profile);
  const { url, token, child, exit } = await startService({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=for-the-collector",
    OTEL_TRACES_SAMPLER_ARG: "1",
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    MARKETPLACE_A: profileFile,
    ...ebayCredentials,
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const send = (path: string, body?: object) =>
    fetch(`${url}/api/v1${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
  expect((await send("/search/catalog?q=secret-lamp")).status).toBe(200);
  expect((await send("/deep-search", { query: "a secret-lamp" })).status).toBe(200);
  expect((await send("/search/marketplace-a?q=secret-shoe")).status).toBe(200);
  child.kill("SIGTERM");
  expect(await exit).toBe(0);

  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => spans.filter((span) => span.name === name);
  const parentOf = ({ parentSpanId }: OtlpSpan) => spans.find(({ spanId }) => spanId === parentSpanId)?.name;
  const [search] = named("searchCatalog");
  expect(search?.parentSpanId).toBe("b7ad6b7169203331");
  expect(named("feature.searchCatalog").map(parentOf)).toEqual(["searchCatalog"]);
  expect(named("index.text.search").map(parentOf)).toContain("feature.searchCatalog");
  expect(named("index.text.search").map(parentOf)).toContain("feature.deepSearch");
  expect(named("feature.deepSearch").map(parentOf)).toEqual(["deepSearch"]);
  // The marketplace is called from another thread.
  expect(named("marketplace-a.search").map(parentOf)).toEqual(["feature.searchMarketplaceA"]);
  const upstream = spans.filter(({ name }) => name.startsWith("HTTP "));
  expect(upstream.map(parentOf)).toContain("marketplace-a.search");
  const seen = ebay.seen.map(({ headers }) => String(headers.traceparent));
  expect(seen.filter((traceparent) => traceparent.includes(traceId))).toEqual(seen);
  expect(JSON.stringify(collector.spans)).not.toContain("secret-");
  expect(collector.requests.every(({ headers }) => headers["x-key"] === "for-the-collector")).toBe(true);
});

test("a delivery belongs to the trace of the import that changed its product", {
  timeout: 60_000,
}, async () => {
  const collector = await startCollector();
  const hooks: IncomingMessage[] = [];
  const target = createServer((request, response) => {
    hooks.push(request);
    request.resume();
    response.end();
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  onTestFinished(() => void target.close());
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "1" };
  const { url, token, dataDir, child, exit } = await startService({
    ...tracing,
    WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const webhookUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;
  const body = JSON.stringify({ webhookUrl, webhookType: "price.alert" });
  expect((await fetch(`${url}/api/v1/webhooks`, { method: "POST", headers, body })).status).toBe(201);
  const feed = join(dataDir, "feed.jsonl");
  writeFileSync(feed, nativeLine("a", { price: 5 }));
  expect(await run(["import", feed, "--source", "catalog"], { DATA_DIR: dataDir, ...tracing }).exit).toBe(0);
  await vi.waitFor(() => expect(hooks).toHaveLength(1), { timeout: 10_000 });
  child.kill("SIGTERM");
  expect(await exit).toBe(0);

  const [imported] = collector.spans.filter(({ name }) => name === "import");
  const [delivery] = collector.spans.filter(({ name }) => name === "HTTP POST");
  expect(delivery).toMatchObject({ traceId: imported?.traceId, parentSpanId: imported?.spanId });
  expect(hooks[0]?.headers.traceparent).toBe(`00-${imported?.traceId}-${delivery?.spanId}-01`);
});

/** Makes Node record which files of OpenTelemetry it loads, in every thread. */
function watchLoading(folder: string): { options: string; loaded(): string[] } {
  const list = join(folder, "loaded");
  const hook = join(folder, "hook.mjs");
  writeFileSync(list, "");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/@opentelemetry\\/([\\w-]+)\\//.exec(url) ?? [];
    if (name) appendFileSync(${JSON.stringify(list)}, name + "\\n");
    return next(url, context);
  },
});
`,
  );
  const loaded = () => [...new Set(readFileSync(list, "utf8").trim().split("\n"))].toSorted();
  return { options: `--import ${hook}`, loaded };
}

test.each([
  ["without a collector, nothing of the SDK is loaded", undefined, ["api"]],
  ["with a collector, it is", "http://127.0.0.1:1", expect.arrayContaining(["api", "sdk-trace"])],
])("%s", { timeout: 60_000 }, async (_, endpoint, expected) => {
  const folder = makeDataDir();
  onTestFinished(() => removeDataDir(folder));
  const { options, loaded } = watchLoading(folder);
  const { url, token, child, exit } = await startService({
    NODE_OPTIONS: options,
    ...(endpoint && { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }),
  });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${url}/api/v1/search/catalog?q=lamp`, { headers })).status).toBe(200);
  child.kill("SIGTERM");
  expect(await exit).toBe(0);
  expect(loaded()).toEqual(expected);
});
