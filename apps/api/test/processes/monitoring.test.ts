import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { ebayCredentials, ebayItem, startEbay } from "@product-search/marketplaces/testing/ebay-server.ts";
import { labelsBySeries, namesInQuery } from "@product-search/testing/prometheus-text.ts";
import { describeWhere } from "@product-search/testing/servers/suite.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

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
