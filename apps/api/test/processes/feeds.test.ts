import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, serve } from "../../testing/running-service.ts";

test("the service imports the feeds in FEEDS, and reports the results", async () => {
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
