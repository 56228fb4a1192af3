import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BestBuyServer,
  bestBuyCredentials,
  bestBuyProduct,
  startBestBuy,
} from "@product-search/marketplaces/testing/best-buy-server.ts";
import * as Sqlite from "@product-search/stores/database/sqlite.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir } from "../../testing/running-service.ts";

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
