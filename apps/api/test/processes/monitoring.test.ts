import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ebayCredentials, ebayItem, startEbay } from "@product-search/marketplaces/testing/ebay-server.ts";
import { base64Of, drawing } from "@product-search/testing/images/images.ts";
import { sentences, startOpenAiServer } from "@product-search/testing/openai-server.ts";
import {
  labelsBySeries,
  namesInQuery,
  type OtlpSpan,
  startOtlpCollector,
} from "@product-search/testing/prometheus-text.ts";
import { describeWhere } from "@product-search/testing/servers/suite.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

describe("monitoring", () => {
  const folder = fileURLToPath(new URL("../../../../deploy/monitoring/", import.meta.url));
  const read = (name: string) => readFileSync(join(folder, name), "utf8");

  interface Rules {
    groups: { rules: { alert: string; expr: string; annotations: { action: string } }[] }[];
  }
  interface RuleTests {
    tests: { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] }[];
  }
  interface Dashboard {
    panels: { title: string; targets?: { expr: string }[] }[];
  }

  const rules: Rules = parse(read("alerts.yaml"));
  const alerts = rules.groups.flatMap((group) => group.rules);
  const dashboard: Dashboard = JSON.parse(read("dashboard.json"));
  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [title, expr]),
  );
  /** Placeholders that Grafana and Prometheus replace. */
  const placed = (query: string) => query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*");

  /** Added by Prometheus itself. */
  const scrapeLabels = ["job", "instance"];

  const cleanUp: (() => unknown)[] = [];
  let series: Map<string, Set<string>>;

  beforeAll(async () => {
    const dataDir = makeDataDir();
    cleanUp.push(() => removeDataDir(dataDir));
    const { url, token } = await startService(dataDir);
    await causeMetrics(url, token);
    series = labelsBySeries(await (await fetch(`${url}/metrics`)).text());
  });
  afterAll(async () => {
    for (const step of cleanUp.toReversed()) await step();
  });

  /** A service with backups, a feed and a live marketplace, so that it has every metric. */
  async function startService(dataDir: string): Promise<{ url: string; token: string }> {
    const feeds = createServer((_, response) => void response.end(nativeLine("a")));
    feeds.listen(0, "127.0.0.1");
    await once(feeds, "listening");
    cleanUp.push(() => feeds.close());
    const ebay = await startEbay([ebayItem(1)]);
    cleanUp.push(() => ebay.close());
    const profile = readFileSync(
      new URL("../../../../packages/marketplaces/profiles/ebay-browse.yaml", import.meta.url),
      "utf8",
    )
      .replaceAll("https://api.ebay.com/identity", `${ebay.baseUrl}/identity`)
      .replace("baseUrl: https://api.ebay.com", `baseUrl: ${ebay.baseUrl}`);
    writeFileSync(join(dataDir, "ebay.yaml"), profile);
    const environment = {
      DATA_DIR: dataDir,
      BACKUP_DIR: join(dataDir, "backups"),
      THREADS: "1",
      LOG_LEVEL: "warn",
      MARKETPLACE_A: join(dataDir, "ebay.yaml"),
      FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
      WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
      FEEDS: `catalog http://127.0.0.1:${(feeds.address() as AddressInfo).port}/ every 1h`,
      ...ebayCredentials,
    };
    const made = run(
      ["token", "create", "--account", "a", "--scopes", "search,webhooks", "--json"],
      environment,
    );
    await made.exit;
    const service = await serve(environment);
    cleanUp.push(async () => {
      service.child.kill("SIGTERM");
      await service.exit;
    });
    while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
    return { url: service.url, token: JSON.parse(made.output()).token };
  }

  /** Some metrics exist only after something has been counted. */
  async function causeMetrics(url: string, token: string): Promise<void> {
    const send = (path: string, body?: object) =>
      fetch(`${url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
    await send("/search/trial?q=lamp");
    await send("/search/marketplace-a?q=lamp");
    await send("/deep-search", { query: "a lamp" });
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    await send("/vectorize-image", { base64String: pixel });
    const metrics = async () => (await fetch(`${url}/metrics`)).text();
    while (!(await metrics()).includes("product_search_feed_pulls_total{")) await setTimeout(50);
  }

  describe.each([
    ...queries.map(([title, query]): [string, string] => [`the panel "${title}"`, query]),
    ...alerts.map(({ alert, expr }): [string, string] => [`the alert ${alert}`, expr]),
  ])("%s", (_, query) => {
    test(`uses existing metrics: ${query}`, () => {
      const { metrics, labels } = namesInQuery(placed(query));
      expect(metrics.length).toBeGreaterThan(0);
      const unknown = metrics.filter((name) => name !== "up" && !series.has(name));
      expect(unknown).toEqual([]);
      const known = new Set([...scrapeLabels, ...metrics.flatMap((name) => [...(series.get(name) ?? [])])]);
      expect(labels.filter((label) => !known.has(label))).toEqual([]);
    });
  });

  test("every query reads the metrics of this service only: some names are common", () => {
    for (const query of [...queries.map(([, expr]) => expr), ...alerts.map(({ expr }) => expr)]) {
      const { metrics } = namesInQuery(placed(query));
      const selectors = query.match(new RegExp(`\\b(?:${metrics.join("|")})\\b\\S*`, "g")) ?? [];
      expect(selectors.length).toBeGreaterThan(0);
      for (const selector of selectors) expect(selector).toMatch(/^\w+\{job="product-search"/);
    }
  });

  test("names are the service's own, but for what every Node has", () => {
    const names = [...series.keys()].filter((name) => !/^(?:product_search|process|nodejs)_/.test(name));
    expect(series.size).toBeGreaterThan(40);
    expect(names).toEqual([]);
  });

  test("every alert says what to do", () => {
    for (const { alert, annotations } of alerts) expect(annotations.action, alert).toMatch(/\.$/);
  });

  test("every alert has a test that triggers it, and one that does not", () => {
    const { tests }: RuleTests = parse(read("alerts.test.yaml"));
    const cases = tests.flatMap((one) => one.alert_rule_test);
    const firing = cases.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname);
    const quiet = cases.filter(({ exp_alerts }) => exp_alerts.length === 0).map(({ alertname }) => alertname);
    const names = alerts.map(({ alert }) => alert).toSorted();
    expect(firing.toSorted()).toEqual(names);
    expect(quiet.toSorted()).toEqual(names);
  });

  const promtool = process.env.PROMTOOL ?? "promtool";
  const hasPromtool = spawnSync(promtool, ["--version"]).status === 0;
  const why = "promtool is not installed (Debian package prometheus); PROMTOOL names another path";

  describeWhere("promtool", hasPromtool ? undefined : why, () => {
    const check = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: "utf8" });
      expect(status, `${stdout}${stderr}`).toBe(0);
    };

    test("accepts the alert rules, and their tests pass", () => {
      check("check", "rules", "alerts.yaml");
      check("test", "rules", "alerts.test.yaml");
    });

    test("accepts the queries of the dashboard", () => {
      const file = join(makeDataDir(), "queries.yaml");
      const recorded = queries.map(([, query], at) => ({ record: `query_${at}`, expr: placed(query) }));
      writeFileSync(file, JSON.stringify({ groups: [{ name: "queries", rules: recorded }] }));
      check("check", "rules", file);
      removeDataDir(join(file, ".."));
    });
  });
});

describe("tracing", () => {
  async function startCollector() {
    const collector = await startOtlpCollector();
    onTestFinished(collector.close);
    return collector;
  }

  /** The profile of eBay with its upstream replaced. */
  function writeProfile(baseUrl: string): string {
    const profileFile = join(makeDataDir(), "ebay.yaml");
    onTestFinished(() => removeDataDir(join(profileFile, "..")));
    const profile = readFileSync(
      new URL("../../../../packages/marketplaces/profiles/ebay-browse.yaml", import.meta.url),
      "utf8",
    )
      .replaceAll("https://api.ebay.com/identity", `${baseUrl}/identity`)
      .replace("baseUrl: https://api.ebay.com", `baseUrl: ${baseUrl}`);
    writeFileSync(profileFile, profile);
    return profileFile;
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

  /** The same with a live marketplace. */
  async function startWithMarketplace(settings: Record<string, string>) {
    const collector = await startCollector();
    const ebay = await startEbay([ebayItem(1)]);
    onTestFinished(() => ebay.close());
    const service = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
      MARKETPLACE_A: writeProfile(ebay.baseUrl),
      ...ebayCredentials,
      ...settings,
    });
    return { ...service, collector, ebay };
  }

  test("a request is a trace with its feature, the calls of the feature, and the marketplace, which gets its traceparent", async () => {
    const { url, token, child, exit, collector, ebay } = await startWithMarketplace({
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=for-the-collector",
      OTEL_TRACES_SAMPLER_ARG: "1",
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
    const parentOf = ({ parentSpanId }: OtlpSpan) =>
      spans.find(({ spanId }) => spanId === parentSpanId)?.name;
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
    const hasKey = ({ headers }: IncomingMessage) => headers["x-key"] === "for-the-collector";
    if (collector.isDirect) expect(collector.requests.every(hasKey)).toBe(true);
  });

  test("the calls of the language model and of the image model are spans of their requests", async () => {
    const collector = await startCollector();
    const model = await startOpenAiServer(() => sentences("{p1.name} fits best."));
    onTestFinished(() => model.close());
    const { url, token, child, exit } = await startService({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: "1",
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: "stand-in",
    });
    const send = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const response = await fetch(`${url}/api/v1${path}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(200);
      await response.text();
      return response;
    };
    const answer = await send("/deep-search", { query: "a lamp for my aunt" });
    expect(answer.headers.get("x-answer-writer")).toBe("model");
    const base64String = await base64Of(drawing("disc", "#c02020").png());
    await send("/vectorize-image", { base64String });
    await send("/detect-objects", { base64String });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);

    const parentsOf = (name: string) =>
      collector.spans
        .filter((span) => span.name === name)
        .map(({ parentSpanId }) => collector.spans.find(({ spanId }) => spanId === parentSpanId)?.name);
    expect(parentsOf("model.language.write")).toEqual(["feature.deepSearch"]);
    expect(parentsOf("model.vision.describe")).toContain("feature.vectorizeImage");
    expect(parentsOf("model.vision.detect")).toEqual(["feature.detectObjects"]);
    expect(JSON.stringify(collector.spans)).not.toMatch(/aunt|fits best/);
  });

  test("what is recorded is recorded whole, and the caller's choice is passed on", async () => {
    const { url, token, child, exit, collector, ebay } = await startWithMarketplace({
      OTEL_TRACES_SAMPLER_ARG: "0.5",
    });
    const search = async (q: string, traceparent?: string) => {
      const headers = { authorization: `Bearer ${token}`, ...(traceparent && { traceparent }) };
      const from = ebay.seen.length;
      expect((await fetch(`${url}/api/v1/search/marketplace-a?q=${q}`, { headers })).status).toBe(200);
      return ebay.seen.slice(from).map((seen) => seen.headers.traceparent);
    };
    const requests = 40;
    let passedOn = 0;
    for (let at = 0; at < requests; at++) {
      const [traceparent] = (await search(`shoe${at}`)).filter((one) => one !== undefined);
      if (traceparent !== undefined) passedOn += 1;
    }
    // With one fraction, services record the same traces: by the end of the identifier.
    const recorded = "0af7651916cd43dd8448eb2100000001";
    const left = "0af7651916cd43dd8448eb21ffffffff";
    expect(await search("one", `00-${recorded}-b7ad6b7169203331-01`)).toMatchObject([
      expect.stringMatching(`^00-${recorded}-[0-9a-f]{16}-01$`),
    ]);
    expect(await search("two", `00-${left}-b7ad6b7169203331-01`)).toMatchObject([
      expect.stringMatching(`^00-${left}-[0-9a-f]{16}-00$`),
    ]);
    expect(await search("three", `00-${recorded}-b7ad6b7169203331-00`)).toMatchObject([
      expect.stringMatching(`^00-${recorded}-[0-9a-f]{16}-00$`),
    ]);
    await search("four", "nonsense");
    child.kill("SIGTERM");
    expect(await exit).toBe(0);

    const traces = Map.groupBy(collector.spans, ({ traceId }) => traceId);
    expect(traces.has(recorded)).toBe(true);
    expect(traces.has(left)).toBe(false);
    // Half of them: neither none nor all, by all odds.
    expect(passedOn).toBeGreaterThan(0);
    expect(passedOn).toBeLessThan(requests);
    for (const spans of traces.values()) {
      const names = spans.map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(["searchMarketplaceA", "marketplace-a.search", "HTTP GET"]),
      );
    }
  });

  test("a delivery belongs to the trace of the import that changed its product", async () => {
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
    expect(await run(["import", feed, "--source", "catalog"], { DATA_DIR: dataDir, ...tracing }).exit).toBe(
      0,
    );
    await vi.waitFor(() => expect(hooks).toHaveLength(1), { timeout: 60_000 });
    child.kill("SIGTERM");
    expect(await exit).toBe(0);

    const [imported] = collector.spans.filter(({ name }) => name === "import");
    const [delivery] = collector.spans.filter(({ name }) => name === "HTTP POST");
    expect(delivery).toMatchObject({ traceId: imported?.traceId, parentSpanId: imported?.spanId });
    expect(hooks[0]?.headers.traceparent).toBe(`00-${imported?.traceId}-${delivery?.spanId}-01`);
  });
});
