import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";

// The steps of docs/webhooks.md from the start to a verified price alert, with real processes.

let environment: Record<string, string>;
let service: RunningService;
beforeAll(async () => {
  environment = { DATA_DIR: makeDataDir(), WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8", THREADS: "1" };
  await command("sample", "--products", "20");
  service = await serve(environment);
});
afterAll(async () => {
  service.child.kill("SIGTERM");
  await service.exit;
  removeDataDir(environment.DATA_DIR ?? "");
});

async function command(...args: string[]): Promise<string> {
  const { exit, output } = run(args, environment);
  if ((await exit) !== 0) throw new Error(output());
  return output();
}

async function startListening(port: number, key: string) {
  const listening = run(
    ["webhooks", "listen", "--port", String(port), "--key", key, "--count", "1", "--json"],
    environment,
  );
  while (!listening.output().includes("Listening")) await setTimeout(20);
  return async () => {
    await listening.exit;
    return JSON.parse(
      listening
        .output()
        .split("\n")
        .find((line) => line.startsWith("{")) ?? "",
    );
  };
}

/** Step 4 of the page: the feed, and the command that imports it. */
async function lowerPrice(): Promise<number> {
  const page = readFileSync(new URL("../../../../docs/webhooks.md", import.meta.url), "utf8");
  const [, feed = "", name = ""] = /echo '(\{.*\})' > (\S+)/.exec(page) ?? [];
  const file = join(environment.DATA_DIR ?? "", name);
  writeFileSync(file, `${feed}\n`);
  expect(page).toContain(`pnpm api import ${name} --source catalog`);
  await command("import", file, "--source", "catalog");
  return JSON.parse(feed).price;
}

it("leads from the start to a verified price alert", { timeout: 180_000 }, async () => {
  const { token } = JSON.parse(
    await command("token", "create", "--account", "me", "--scopes", "webhooks", "--json"),
  );
  const port = await freePort();
  const created = await fetch(`${service.url}/api/v1/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ webhookUrl: `http://127.0.0.1:${port}/`, webhookType: "price.alert" }),
  });
  const { id, apiKey } = JSON.parse(await created.text()).data;

  const arrived = await startListening(port, apiKey);
  const price = await lowerPrice();
  expect(await arrived()).toMatchObject({
    path: "/",
    verified: true,
    event: { type: "price.alert", data: { current: { price }, product: { price } } },
  });

  expect(JSON.parse(await command("webhooks", "list", "--json"))).toMatchObject([{ id }]);
  const { deliveries } = JSON.parse(await command("webhooks", "deliveries", id, "--json"));
  expect(deliveries).toMatchObject([{ status: "succeeded", attempts: [{ responseStatus: 204 }] }]);

  const again = await startListening(port, "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD");
  await command("webhooks", "replay", id, deliveries[0].id);
  expect(await again()).toMatchObject({
    verified: false,
    fault: expect.stringContaining("another webhook's"),
  });
});
