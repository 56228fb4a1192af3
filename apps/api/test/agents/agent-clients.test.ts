import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sampleProductInputs } from "../../src/compose/sample-products.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

/** Commands that others wrote, against a service that listens. */
let service: TestService;
let site: string;
let home: string;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "agent-clients-"));
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  service = await createTestService({ environment: { PUBLIC_URL: site, AGENT_ACCESS: "public" } });
  await loadSample(service.stores, sampleProductInputs(300, { currency: "USD", nowMs: Date.now() }));
  await service.indexed();
  await service.app.listen({ host: "127.0.0.1", port });
});
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true });
});

const run = promisify(execFile);
const packageFolder = fileURLToPath(new URL("../../node_modules", import.meta.url));

describe("UCP's command", () => {
  const ucp = async (...given: string[]) => {
    const entry = join(packageFolder, "@shopify/ucp-cli/dist/bin.js");
    const { stdout } = await run(process.execPath, [entry, ...given, "--format", "json"], {
      cwd: home,
      env: { PATH: dirname(process.execPath), HOME: home, UCP_TEST_ALLOW_INSECURE_LOCALHOST: "true" },
      timeout: 20_000,
    });
    return JSON.parse(stdout);
  };

  it("discovers, searches, looks up and gets a product", async () => {
    const discovered = await ucp("discover", site);
    expect(JSON.stringify(discovered)).toContain("search_catalog");
    const found = await ucp("catalog", "search", "--business", site, "--input", '{"query":"travel mug"}');
    const [{ id }] = found.result.products;
    const looked = await ucp(
      "catalog",
      "lookup",
      "--business",
      site,
      "--input",
      JSON.stringify({ ids: [id] }),
    );
    expect(looked.result.products[0].id).toBe(id);
    const got = await ucp("catalog", "get_product", id, "--business", site);
    const stored = await service.stores.catalogStore.findById(id);
    expect(got.result.product.price_range.min).toEqual({ amount: stored?.priceMinor, currency: "USD" });
  });
});

describe("the protocol's conformance checks", () => {
  it.each([["server-initialize"], ["ping"], ["tools-list"], ["dns-rebinding-protection"]])(
    "%s",
    async (scenario) => {
      const entry = join(packageFolder, "@modelcontextprotocol/conformance/dist/index.js");
      const options = { cwd: home, timeout: 20_000 };
      const given = [entry, "server", "--url", `${site}/mcp`, "--scenario", scenario];
      const { stdout } = await run(process.execPath, given, options);
      expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
    },
  );
});
