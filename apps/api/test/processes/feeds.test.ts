import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import { expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, serve } from "../../testing/running-service.ts";
import { startTestCluster } from "../../testing/servers/cluster.ts";

test("the service imports the feeds in FEEDS, and reports the results", { timeout: 60_000 }, async () => {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/good")) response.end(nativeLine("a") + nativeLine("b", { price: -1 }));
    else response.writeHead(503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    DATA_DIR: dataDir,
    THREADS: "1",
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    FEEDS: `catalog ${origin}/good?token=hidden every 30m full, marketplace-a ${origin}/bad every 1h`,
  };
  const service = await serve(environment);
  onTestFinished(() => void service.child.kill("SIGKILL"));
  const metrics = async () => (await fetch(`${service.url}/metrics`)).text();
  const names = (path: string, source: string) => `source="${source}",feed="${origin}${path}"`;
  const pulled = [
    `product_search_feed_pulls_total{${names("/good?…", "catalog")},outcome="imported"} 1`,
    `product_search_feed_pulls_total{${names("/bad", "marketplace-a")},outcome="failed"} 1`,
  ];
  let text = "";
  while (!pulled.every((line) => text.includes(line))) {
    await setTimeout(100);
    text = await metrics();
  }
  expect(text).toContain(`product_search_feed_failures{${names("/bad", "marketplace-a")}} 1`);
  expect(text).toContain(
    `product_search_feed_last_success_timestamp_seconds{${names("/bad", "marketplace-a")}} 0`,
  );
  expect(text).toContain(
    `product_search_feed_last_import{${names("/good?…", "catalog")},result="refused"} 1`,
  );
  service.child.kill("SIGTERM");
  expect(await service.exit).toBe(0);
  expect(service.output()).toContain("imported a scheduled feed");
  expect(service.output()).not.toContain("hidden");

  const { output, code } = await runCommand(["feeds", "--json"], environment);
  expect(code).toBe(0);
  expect(output).not.toContain("hidden");
  expect(JSON.parse(output)).toMatchObject([
    {
      source: "catalog",
      feed: `${origin}/good?…`,
      absent: "out_of_stock",
      result: { created: 1, refused: 1 },
    },
    { source: "marketplace-a", failures: 1, error: expect.stringContaining("status 503"), result: null },
  ]);
});

test("a feed whose server sends a byte at a time delays no other feed", { timeout: 60_000 }, async () => {
  const dataDir = makeDataDir();
  onTestFinished(() => removeDataDir(dataDir));
  let drips = 0;
  const server = createServer((request, response) => {
    if (request.url !== "/drip") return void response.end(nativeLine("a"));
    drips += 1;
    response.write("{");
    const dripping = setInterval(() => response.write(" "), 200);
    response.on("close", () => clearInterval(dripping));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = {
    DATA_DIR: dataDir,
    THREADS: "1",
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    FEEDS: `catalog ${origin}/drip every 1h`,
  };
  const first = await serve(environment);
  onTestFinished(() => void first.child.kill("SIGKILL"));
  while (drips === 0) await setTimeout(20);
  const args = ["import", `${origin}/command`, "--source", "catalog", "--json"];
  const { code, stdout } = await runCommand(args, environment);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ created: 1 });
  first.child.kill("SIGTERM");
  expect(await first.exit).toBe(0);

  const feeds = ["/drip", "/b", "/c"].map((path) => `catalog ${origin}${path} every 1h`).join(", ");
  const second = await serve({ ...environment, FEEDS: feeds });
  onTestFinished(() => void second.child.kill("SIGKILL"));
  const imported = () => second.output().match(/imported a scheduled feed/g)?.length ?? 0;
  while (imported() < 2) await setTimeout(50);
  expect(drips).toBe(2);
  second.child.kill("SIGTERM");
  expect(await second.exit).toBe(0);
});

describeOnPostgres("with several nodes", () => {
  test("another node imports the feed of a killed one when its lease has ended, and not before", {
    timeout: 300_000,
  }, async () => {
    const requestedAtMs: number[] = [];
    const server = createServer((_request, response) => {
      // The first import does not end.
      if (requestedAtMs.push(performance.now()) > 1) response.end(nativeLine("a"));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const cluster = await startTestCluster({
      FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
      FEEDS: `catalog http://127.0.0.1:${port}/feed every 30m`,
    });
    onTestFinished(() => cluster.close());
    const first = await cluster.startNode();
    while (requestedAtMs.length === 0) await setTimeout(20);
    await cluster.startNode();
    // biome-ignore lint/plugin: longer than a lease, which two real processes renew by their own clocks.
    await setTimeout(10_000);
    expect(requestedAtMs).toHaveLength(1);
    first.child.kill("SIGKILL");
    const killedAtMs = performance.now();
    while (requestedAtMs.length === 1) await setTimeout(20);
    // Ten seconds where nothing else runs; the rest is for a busy machine.
    expect((requestedAtMs[1] ?? 0) - killedAtMs).toBeLessThan(60_000);
  });
});
