import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { nativeLine } from "../import-fixture.ts";
import { makeDataDir, run, serve } from "../running-service.ts";

/**
 * Writes the data of a small service of this release, for a test of the next one: run it before a release that changes how
 * data are stored, and keep the archive.
 *
 *     node testing/upgrade/write-data.ts testing/upgrade/data-<version>.tar.gz
 */
const target = process.argv[2];
if (target === undefined) throw new Error("Name the archive to write.");

const root = makeDataDir();
const dataDir = join(root, "data");
mkdirSync(dataDir);
const environment = { DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "warn" };

async function command(...args: string[]): Promise<string> {
  const { exit, output } = run(args, environment);
  if ((await exit) !== 0) throw new Error(output());
  return output();
}

await command("sample", "--products", "40");
const made = await command(
  "token",
  "create",
  "--account",
  "upgraded",
  "--scopes",
  "search,webhooks",
  "--json",
);
const { token } = JSON.parse(made);
const feed = join(root, "feed.jsonl");
const importAt = async (price: number) => {
  writeFileSync(feed, nativeLine("kept", { name: "Upgrade lamp", price }));
  await command("import", feed, "--source", "catalog");
};
await importAt(30);

const service = await serve({ ...environment, WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" });
while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(100);
const send = async (path: string, body: object): Promise<unknown> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};
// Nothing listens on this port, so deliveries wait.
const webhook = await send("/webhooks", {
  webhookUrl: "http://127.0.0.1:65000/hook",
  webhookType: "price.alert",
});
const pixels =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const image = await send("/vectorize-image", { base64String: pixels });
await importAt(20);
// biome-ignore lint/plugin: the indexes of a former release are saved five seconds after the last change.
await setTimeout(7000);
service.child.kill("SIGTERM");
await service.exit;

writeFileSync(join(dataDir, "expected.json"), `${JSON.stringify({ token, webhook, image }, undefined, 2)}\n`);
rmSync(join(dataDir, "images"), { recursive: true, force: true });
const { status, stderr } = spawnSync("tar", ["-czf", resolve(target), "-C", root, "data"], {
  encoding: "utf8",
});
if (status !== 0) throw new Error(stderr);
rmSync(root, { recursive: true });
