import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BestBuyServer,
  bestBuyCredentials,
  bestBuyProduct,
  startBestBuy,
} from "@product-search/marketplaces/testing/best-buy-server.ts";
import {
  type EbayServer,
  ebayCredentials,
  ebayItem,
  startEbay,
} from "@product-search/marketplaces/testing/ebay-server.ts";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
} from "../../testing/running-service.ts";

describe("live marketplace", () => {
  const shipped = readFileSync(
    new URL("../../../../packages/marketplaces/profiles/ebay-browse.yaml", import.meta.url),
    "utf8",
  );
  let dataDir: string;
  let ebay: EbayServer;
  let service: RunningService;
  let token: string;

  /** The included profile with the URL of a local server, in a separate file. */
  function profileFile(name: string, edit: (text: string) => string = (text) => text): string {
    const file = join(dataDir, name);
    const text = shipped.replaceAll("https://api.ebay.com/identity", `${ebay.baseUrl}/identity`);
    writeFileSync(file, edit(text.replace("baseUrl: https://api.ebay.com", `baseUrl: ${ebay.baseUrl}`)));
    return file;
  }

  const environment = (file: string) => ({
    DATA_DIR: dataDir,
    THREADS: "2",
    MARKETPLACE_A: file,
    FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
    ...ebayCredentials,
  });

  beforeAll(async () => {
    dataDir = makeDataDir();
    ebay = await startEbay(Array.from({ length: 40 }, (_, n) => ebayItem(n + 1)));
    const settings = environment(
      profileFile("ebay.yaml", (text) => text.replace("freshSeconds: 300", "freshSeconds: 2")),
    );
    const made = run(["token", "create", "--account", "tester", "--scopes", "search", "--json"], settings);
    await made.exit;
    token = JSON.parse(made.output()).token;
    service = await serve(settings);
    while (!(await fetch(`${service.url}/readyz`)).ok)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  afterAll(async () => {
    service.child.kill("SIGKILL");
    await service.exit;
    await ebay.close();
    removeDataDir(dataDir);
  });

  const search = (q: string) =>
    // Each request on a new connection, so that both threads handle some.
    fetch(`${service.url}/api/v1/search/marketplace-a?q=${q}`, {
      headers: { authorization: `Bearer ${token}`, connection: "close" },
    });
  const searches = () => ebay.seen.filter(({ url }) => url.pathname.endsWith("/search")).length;

  describe("a service with a live marketplace", () => {
    it("searches it once for all threads, and reports the age of the response", async () => {
      const responses = await Promise.all(Array.from({ length: 20 }, () => search("shoe")));
      for (const received of responses) {
        expect(received.status).toBe(200);
        expect(Number(received.headers.get("age"))).toBeGreaterThanOrEqual(0);
        expect(received.headers.get("cache-status")).toMatch(
          /^product-search; (hit; ttl=\d+|fwd=miss; (stored|collapsed))$/,
        );
      }
      const body = JSON.parse((await responses[0]?.text()) ?? "");
      expect(body).toMatchObject({ count: 40, hasMore: true, source: "marketplace-a", limit: 20 });
      expect(body.Products[19]).toMatchObject({
        _id: "marketplace-a_20",
        position: 20,
        originalPrice: 59.99,
      });
      expect(searches()).toBe(1);
    });

    it("stays ready while the marketplace is down, serves stale responses, and says so in metrics and logs", async () => {
      await search("boot");
      const respond = ebay.respond;
      ebay.respond = (_, response) => response.destroy();
      const stale = await vi.waitFor(
        async () => {
          const received = await search("boot");
          expect(received.headers.get("cache-status")).toContain("ttl=-");
          return received;
        },
        { timeout: 60_000, interval: 100 },
      );
      const failed = await search("sandal");
      ebay.respond = respond;
      expect(stale.status).toBe(200);
      expect(stale.headers.get("cache-status")).toMatch(
        /^product-search; hit; ttl=-\d+; detail=upstream-failed$/,
      );
      expect(failed.status).toBe(502);
      expect(await failed.json()).toMatchObject({
        code: "upstream_failed",
        message: expect.stringMatching(/^marketplace-a (cannot be reached|keeps failing)/),
      });
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      const metrics = await (await fetch(`${service.url}/metrics`)).text();
      expect(metrics).toMatch(
        /product_search_marketplace_answers_total\{marketplace="marketplace-a",from="stale"\} 1/,
      );
      expect(metrics).toMatch(
        /product_search_marketplace_answers_total\{marketplace="marketplace-a",from="failed"\} 1/,
      );
      expect(metrics).toMatch(
        /product_search_marketplace_request_duration_seconds_count\{marketplace="marketplace-a",outcome="unreachable"\} [3-6]/,
      );
      expect(service.output()).toContain("marketplace-a cannot be reached");
      for (const secret of Object.values(ebayCredentials)) expect(service.output()).not.toContain(secret);
      expect(service.output()).not.toContain("sandal");
    });

    it("does not start with a missing profile", async () => {
      const { exit, output } = run(["serve"], { PORT: "0", ...environment(join(dataDir, "nowhere.yaml")) });
      expect(await exit).toBe(2);
      expect(output()).toMatch(/MARKETPLACE_A: .*nowhere\.yaml: cannot be read/);
    });
  });
});

describe("marketplace try", () => {
  let dataDir: string;
  let bestBuy: BestBuyServer;
  let file: string;
  beforeAll(async () => {
    dataDir = makeDataDir();
    bestBuy = await startBestBuy([
      bestBuyProduct(1),
      bestBuyProduct(2, { salePrice: null }),
      bestBuyProduct(3, { orderable: "Mystery" }),
    ]);
    file = join(dataDir, "best-buy.yaml");
    const shipped = readFileSync(
      new URL("../../../../packages/marketplaces/profiles/best-buy.yaml", import.meta.url),
      "utf8",
    );
    writeFileSync(file, shipped.replace("baseUrl: https://api.bestbuy.com", `baseUrl: ${bestBuy.baseUrl}`));
  });
  afterAll(async () => {
    await bestBuy.close();
    removeDataDir(dataDir);
  });

  async function attempt(args: readonly string[], over: Record<string, string> = {}) {
    const environment = {
      DATA_DIR: dataDir,
      FETCH_ALLOW_NETWORKS: "127.0.0.0/8",
      ...bestBuyCredentials,
      ...over,
    };
    const { code, output } = await runCommand(["marketplace", "try", ...args], environment);
    expect(output).not.toContain(bestBuyCredentials.BEST_BUY_API_KEY);
    return { code, text: output };
  }

  describe("marketplace try", () => {
    it("shows request, raw response, products, and dropped entries with the reason", async () => {
      const { code, text } = await attempt([file, "gaming laptop"]);
      expect(code).toBe(0);
      expect(text).toContain("/v1/products((search=gaming&search=laptop))?format=json");
      expect(text).toContain("apiKey=***");
      expect(text).toContain("Response: HTTP 200, application/json,");
      expect(text).toContain("Products: 2 of 3 matches");
      expect(text).toContain("priceMinor: 49999 (USD, minor units)");
      expect(text).toContain('ignored: availability: "Mystery" is not a valid availability');
      expect(text).toContain("Dropped: 1\n  entry 2, 6000002: has no price, or an invalid one");
    });

    it("prints JSON on request", async () => {
      const { text } = await attempt([file, "laptop", "--json", "--count", "1"]);
      const trial = JSON.parse(text);
      expect(trial).toMatchObject({ total: 3, response: { status: 200 } });
      expect(trial.items).toHaveLength(1);
    });

    it("reports the error if there is no response to map", async () => {
      const refused = await attempt([file, "laptop"], { FETCH_ALLOW_NETWORKS: "" });
      expect(refused.code).toBe(1);
      expect(refused.text).toContain(
        "No products: Best Buy leads to an address that this service may not reach.",
      );
      const wrongKey = await attempt([file, "laptop"], { BEST_BUY_API_KEY: "wrong" });
      expect(wrongKey.code).toBe(1);
      expect(wrongKey.text).toContain("No products: Best Buy rejected the credentials of this service");
      expect(wrongKey.text).toContain("The provided API key is invalid.");
    });

    it("refuses an invalid profile, and a count that is out of bounds", async () => {
      const bad = join(dataDir, "bad.yaml");
      writeFileSync(bad, "name: x\n");
      expect(await attempt([bad, "laptop"])).toMatchObject({
        code: 1,
        text: expect.stringContaining("baseUrl is missing"),
      });
      expect((await attempt([file, "laptop", "--count", "251"])).code).not.toBe(0);
    });

    it("counts towards the quota of the marketplace that uses the profile", async () => {
      await attempt([file, "laptop"], { MARKETPLACE_B: file });
      const store = new Sqlite.Database(join(dataDir, "store.sqlite"), { readonly: true });
      const counted = store.prepare("select marketplace, count > 0 as used from marketplace_requests").all();
      store.close();
      expect(counted).toEqual([{ marketplace: "marketplace-b", used: 1 }]);
    });
  });
});
