import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describeOnPostgres } from "@product-search/stores/testing/postgres.ts";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseFeedSettings } from "../../src/config/setting-values.ts";
import { nativeLine } from "../../testing/import-fixture.ts";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, run, serve } from "../../testing/running-service.ts";
import { startTestCluster } from "../../testing/servers/cluster.ts";

describe("import command", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "import-command-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (...args: string[]) => startIn({ DATA_DIR: join(folder, "data") }, ...args);

  async function startIn(environment: Record<string, string>, ...args: string[]) {
    const settings = { FETCH_ALLOW_NETWORKS: "127.0.0.0/8", ...environment };
    if (args[0] !== "serve" && args[0] !== "start") return runCommand(args, settings);
    const { exit, output } = run(args, settings);
    return { code: await exit, stdout: "", stderr: output() };
  }

  function feed(content: string): string {
    const path = join(folder, "feed");
    writeFileSync(path, content);
    return path;
  }

  describe("pnpm api import", () => {
    test("reads other tables with --map, shows the first rows, and refuses fields that do not exist", async () => {
      const path = feed("Art;Naam;Prijs;Kleur\n7;Lamp;19,50;Rood\n");
      const data = { DATA_DIR: join(folder, "other-tables") };
      const run = (...args: string[]) => startIn(data, "import", path, "--source", "catalog", ...args);
      const wrong = await run("--map", "naam=Naam");
      expect(wrong.code).not.toBe(0);
      expect(wrong.stderr).toMatch(/"naam" is not a field. Fields: id, title, /);
      const unknown = await run();
      expect(unknown.code).toBe(1);
      expect(unknown.stderr).toMatch(
        /Columns: Art, Naam, Prijs, Kleur\. Did you mean --map id=Art,title=Naam,price=Prijs/,
      );
      const map = ["--map", "id=Art,title=Naam,price=Prijs", "--attributes", "Kleur"];
      const preview = await run(...map, "--dry-run");
      expect(preview.stdout).toMatch(/line 2: new · 7 · Lamp\n {4}19\.50 USD.*\n {4}kleur: Rood/);
      const json = JSON.parse((await run(...map, "--dry-run", "--json")).stdout);
      expect(json).toMatchObject({ rows: [{ line: 2, outcome: "new", key: "7" }] });
      expect((await run(...map)).stdout).toContain("1 new");
      expect((await run()).stdout).toContain("1 unchanged");
      expect((await run("--no-map")).code).toBe(1);
      expect((await run()).code).toBe(1);
    });

    test("reads a shop as the documentation shows", async () => {
      const page = readFileSync(new URL("../../../../docs/feeds.md", import.meta.url), "utf8");
      const commands = page.match(/^pnpm api import shopify:.*$/gm) ?? [];
      const product = { id: 1, title: "Vase", handle: "vase", variants: [{ sku: "V", price: "5.00" }] };
      const shop = createServer(({ url }, response) => {
        const products = url?.endsWith("page=1") ? [product] : [];
        response.end(JSON.stringify(url === "/meta.json" ? { currency: "USD" } : { products }));
      });
      await once(shop.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => void shop.close());
      const { port } = shop.address() as AddressInfo;
      const data = { DATA_DIR: join(folder, "shop") };
      const outputs: string[] = [];
      for (const command of commands) {
        const args = command.replace("https://shop.example", `http://127.0.0.1:${port}`).split(" ").slice(2);
        outputs.push((await startIn(data, ...args)).stdout);
      }
      expect(outputs).toEqual([expect.stringContaining("new · V · Vase"), expect.stringContaining("1 new")]);
      for (const [, text = ""] of page.matchAll(/^FEEDS="(.*)"$/gm))
        expect(parseFeedSettings(text)).toHaveLength(2);
    });

    test("prints a summary as text or JSON, and lists refused rows", async () => {
      const path = feed(nativeLine("a") + nativeLine("b", { price: -1 }));
      const json = await start("import", path, "--source", "catalog", "--json");
      expect(json.code).toBe(0);
      const summary = JSON.parse(json.stdout);
      expect(summary).toMatchObject({
        source: "catalog",
        rows: 2,
        refused: 1,
        created: 1,
        deleted: 0,
        seconds: expect.any(Number),
      });
      expect(JSON.parse(readFileSync(summary.rejectsFile, "utf8"))).toEqual({
        line: 2,
        key: "b",
        field: "price",
        reason: "is negative",
      });

      const rejects = join(folder, "rejects.jsonl");
      const plain = await start("import", path, "--source", "catalog", "--rejects", rejects);
      expect(plain.stdout).toMatch(
        /^2 rows into catalog in [\d.]+ s: 0 new, 0 changed, 1 unchanged, 1 invalid row\.\n$/,
      );
      expect(plain.stderr).toContain(rejects);
    });

    test("fails and says why if no product of the feed exists, also when it prints JSON", async () => {
      const path = feed("id,price\nunknown-1,5 USD\nunknown-2,6 USD\n");
      for (const options of [[], ["--json"]]) {
        const result = await start("import", path, "--source", "catalog", ...options);
        expect(result.code).toBe(1);
        expect(result.stdout).toMatch(/"notFound":2|2 of products that do not exist/);
        expect(result.stderr).toContain("No row changed anything");
      }
    });

    test("fails with one line that has the reason", async () => {
      const { code, stdout, stderr } = await start("import", feed('{"_id":'), "--source", "catalog");
      expect(code).toBe(1);
      expect(stdout).toBe("");
      expect(stderr).toContain("The feed ends early in line 1");
      expect(stderr).not.toContain("    at ");
    });

    test("requires an existing source", async () => {
      const { code, stderr } = await start("import", "x", "--source", "shop");
      expect(code).not.toBe(0);
      expect(stderr).toContain("catalog, marketplace-a, marketplace-b");
    });
  });

  describe("CURRENCY", () => {
    const environment = (currency: string) => ({ DATA_DIR: join(folder, "currency"), CURRENCY: currency });

    test("is recorded by the first import; another one is refused until it is changed on purpose", async () => {
      const path = feed(nativeLine("a"));
      const load = (currency: string) =>
        startIn(environment(currency), "import", path, "--source", "catalog");
      expect((await load("USD")).code).toBe(0);
      for (const args of [
        ["import", path, "--source", "catalog"],
        ["serve"],
        ["sample", "--products", "10"],
        ["start"],
      ]) {
        const { code, stderr } = await startIn(environment("JPY"), ...args);
        expect([args[0], code]).toEqual([args[0], 1]);
        expect(stderr).toContain("CURRENCY is JPY, but the prices in the store are in USD");
        expect(stderr).toContain("pnpm api currency --set JPY");
      }
      const currency = (...args: string[]) => startIn(environment("JPY"), "currency", ...args);
      expect((await currency()).stdout).toContain("USD");
      const asked = await currency("--set", "JPY");
      expect(asked.code).toBe(1);
      expect(asked.stderr).toMatch(/not converted.*--yes/s);
      expect(JSON.parse((await currency("--json")).stdout)).toEqual({ currency: "USD" });
      expect(await currency("--set", "nonsense", "--yes")).toMatchObject({ code: 2 });
      const changed = await currency("--set", "jpy", "--yes");
      expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining("JPY") });
      expect((await load("JPY")).code).toBe(0);
      expect((await load("USD")).code).toBe(1);
      expect((await startIn(environment("JPY"), "audit")).stdout).toContain("currency.changed");
    });
  });
});

const rows = 20_000;

describeOnPostgres("an import that loses PostgreSQL while it writes products", () => {
  test("says that it will be finished, and it is", async () => {
    const cluster = await startTestCluster();
    const dataDir = makeDataDir();
    const client = new pg.Client({ connectionString: cluster.databaseUrl });
    const count = async () => Number((await client.query("select count(*) from products")).rows[0].count);
    try {
      await cluster.command("doctor");
      await client.connect();
      const feed = join(dataDir, "feed.jsonl");
      writeFileSync(feed, Array.from({ length: rows }, (_, at) => nativeLine(`k${at}`)).join(""));
      const args = ["import", feed, "--source", "catalog"];
      const lost = run(args, { ...cluster.environment, DATA_DIR: dataDir });
      while ((await count()) === 0) await setTimeout(2);
      cluster.proxy.cut();
      expect(await lost.exit).toBe(1);
      expect(lost.output()).toMatch(/was read whole: the running service, or the next import, finishes it/);
      expect(lost.output()).not.toContain("Send the request again");
      expect(await count()).toBeLessThan(rows);

      cluster.proxy.restore();
      const other = join(dataDir, "other.jsonl");
      writeFileSync(other, nativeLine("other"));
      await cluster.command("import", other, "--source", "catalog");
      expect(await count()).toBe(rows + 1);
    } finally {
      await client.end();
      await cluster.close();
      removeDataDir(dataDir);
    }
  });
});

describe("feeds", () => {
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
});
