import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { nativeLine } from "../../testing/import-fixture.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";

const folder = fileURLToPath(new URL("../../testing/upgrade/", import.meta.url));
const archives = readdirSync(folder).filter((name) => name.endsWith(".tar.gz"));

interface Expected {
  token: string;
  webhook: { data: { id: string } };
  image: { slug: string };
}

async function command(dataDir: string, ...args: string[]): Promise<string> {
  const { exit, output } = run(args, { DATA_DIR: dataDir });
  const code = await exit;
  expect(code, output()).toBe(0);
  return output();
}

/**
 * Changes the times to now: deliveries and uploaded images are kept for only 30 days, and a webhook that has
 * failed for five days is disabled.
 */
function bringUpToDate(dataDir: string): void {
  const connection = new Sqlite(join(dataDir, "store.sqlite"));
  const now = Date.now();
  connection.prepare("update deliveries set created_at = ?, due_at = ?").run(now, now);
  connection.prepare("update webhook_events set created_at = ?").run(now);
  connection.prepare("update webhooks set failing_since = ?").run(now);
  connection.prepare("update images set expires_at = ?").run(now + 86_400_000);
  connection.close();
}

test("data of a former release exists", () => {
  expect(archives.length).toBeGreaterThan(0);
});

test.each(archives)(
  "this release serves the data of a former one, %s",
  { timeout: 90_000 },
  async (archive) => {
    const root = makeDataDir();
    onTestFinished(() => removeDataDir(root));
    expect(spawnSync("tar", ["-xzf", join(folder, archive), "-C", root]).status).toBe(0);
    const dataDir = join(root, "data");
    const { token, webhook, image }: Expected = JSON.parse(
      readFileSync(join(dataDir, "expected.json"), "utf8"),
    );

    bringUpToDate(dataDir);
    const environment = {
      DATA_DIR: dataDir,
      THREADS: "1",
      LOG_LEVEL: "warn",
      WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    };
    const service = await serve(environment);
    onTestFinished(() => void service.child.kill("SIGKILL"));
    while (!(await fetch(`${service.url}/readyz`)).ok) await setTimeout(50);
    const get = async (path: string) => {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const body: unknown = await response.json();
      return { status: response.status, body };
    };

    // The token, the products and their price history.
    const found = await get("/search/catalog?q=upgrade+lamp&count=1");
    expect(found).toMatchObject({
      status: 200,
      body: {
        fullMatches: 1,
        Products: [{ name: "Upgrade lamp", price: 20, priceHistory: [{ price: 30 }, { price: 20 }] }],
      },
    });
    expect(await get("/search/marketplace-a?q=a")).toMatchObject({ status: 200 });
    // An image that was uploaded before. It is 404 only with another image model, and the message says so.
    const byImage = await get(`/search?imageId=${image.slug}`);
    expect([200, 404]).toContain(byImage.status);
    if (byImage.status === 404) expect(byImage.body).toMatchObject({ code: "image_not_found" });
    // The webhook and its waiting delivery: it is attempted, so it could be signed.
    expect(await get("/webhooks")).toMatchObject({ body: { data: [{ id: webhook.data.id }] } });
    const deliveries = () => get(`/webhooks/${webhook.data.id}/deliveries`);
    expect(await deliveries()).toMatchObject({
      body: { data: [{ webhookType: "price.alert", test: false }] },
    });

    // New changes are found and cause alerts.
    const feed = join(root, "feed.jsonl");
    writeFileSync(feed, nativeLine("kept", { name: "Upgrade lamp", price: 10 }));
    await command(dataDir, "import", feed, "--source", "catalog");
    // A slow machine may have made the second attempt by now.
    const attempted = [expect.objectContaining({ error: expect.stringMatching(/connect|refused/i) })];
    await vi.waitFor(
      async () => {
        expect(await get("/search/catalog?q=upgrade+lamp&count=1")).toMatchObject({
          body: { Products: [{ price: 10 }] },
        });
        expect(await deliveries()).toMatchObject({
          body: { data: [{ attempts: expect.arrayContaining(attempted) }, {}] },
        });
      },
      { timeout: 15_000, interval: 100 },
    );
    expect(await command(dataDir, "check")).toContain("No errors found.");
    service.child.kill("SIGTERM");
    expect(await service.exit).toBe(0);
    expect(
      service
        .output()
        .split("\n")
        .filter((line) => /"level":[56]0/.test(line)),
    ).toEqual([]);
  },
);
