import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import type { Page } from "playwright-core";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { describeInBrowser, service } from "./in-browser.ts";
import { createPublicToken, listen } from "./shop-site.ts";

const guide = readFileSync(new URL("../../../docs/instantsearch.md", import.meta.url), "utf8");

const mockCommand = fileURLToPath(new URL("../../mock/dist/main.js", import.meta.url));

/** A block of the guide. */
function blockOf(name: string): string {
  const [, block] =
    new RegExp(`<!-- test: ${name} -->\\n\\n?\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\``).exec(guide) ?? [];
  if (block === undefined) throw new Error(`The guide has no block ${name}.`);
  return block;
}

const requireForModules =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/** The guide's files for a service and a token, in a folder where their packages are found. */
class Shop {
  readonly #folder = mkdtempSync(fileURLToPath(new URL("shop-", import.meta.url)));

  write(file: string, block: string, token: string, baseUrl = `${service.url}/api/v1`): void {
    const text = blockOf(block).replace("https://search.example.com/api/v1", baseUrl).replace("pss_…", token);
    writeFileSync(join(this.#folder, file), text);
  }

  /** Bundles a file as a shop would. */
  async bundle(file: string, platform: "browser" | "node"): Promise<{ path: string; text: string }> {
    const path = join(this.#folder, `${file}.bundle.mjs`);
    await build({
      entryPoints: [join(this.#folder, file)],
      outfile: path,
      bundle: true,
      platform,
      format: "esm",
      jsx: "automatic",
      define: { "process.env.NODE_ENV": '"production"' },
      // Some packages for servers are CommonJS.
      banner: { js: platform === "node" ? requireForModules : "" },
    });
    return { path, text: readFileSync(path, "utf8") };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** The base URL of a mock that runs until the end of the test. */
async function startMock(): Promise<string> {
  const child = spawn(process.execPath, [mockCommand, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill();
  });
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:\/\/\S+\/api\/v1/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("The mock ended before it served.");
}

/** Searches, refines, sorts and asks for more, with the widgets that both pages have. `lamps` are found. */
async function tryWidgets(page: Page, lamps = 20): Promise<void> {
  const hits = page.locator(".ais-InfiniteHits-item");
  // Everything, before anything was typed.
  await expect.poll(() => hits.count()).toBe(20);
  await page.locator(".ais-SearchBox-input").fill("lamp");
  await expect.poll(() => hits.locator("mark").first().textContent()).toMatch(/^lamp/i);

  const brands = page.locator(".ais-RefinementList label");
  const brand = brands.first();
  const name = await brand.locator(".ais-RefinementList-labelText").textContent();
  const count = Number(await brand.locator(".ais-RefinementList-count").textContent());
  expect(count).toBeGreaterThan(0);
  await brand.click();
  await expect.poll(() => hits.count()).toBe(Math.min(count, 20));
  for (const text of await hits.allTextContents()) expect(text).toContain(name);
  // The other brands are still there to be chosen.
  expect(await brands.count()).toBeGreaterThan(1);
  await brand.click();

  await page.locator(".ais-SortBy-select").selectOption("products/price/asc");
  const arePricesSorted = async () => {
    const texts = await hits.allTextContents();
    const prices = texts.map((text) => Number(/([\d.]+)\s*$/.exec(text)?.[1]));
    return prices.length === lamps && prices.every((price, index) => price >= (prices[index - 1] ?? 0));
  };
  await expect.poll(arePricesSorted).toBe(true);
  await page.locator(".ais-SearchBox-input").fill("");
  await expect.poll(() => hits.count()).toBe(20);
  await page.locator(".ais-InfiniteHits-loadMore").click();
  await expect.poll(() => hits.count()).toBe(40);
}

describeInBrowser("the pages of docs/instantsearch.md", (open) => {
  const shop = new Shop();
  afterAll(() => shop.remove());

  it("in plain JavaScript, from another origin, with the mock", async () => {
    let script = "";
    const html = blockOf("instantsearch-page");
    const { origin, server } = await listen((path) => (path === "/page.js" ? script : html));
    try {
      const [token, baseUrl] = ["any", await startMock()];
      shop.write("page.js", "instantsearch", token, baseUrl);
      const lamps = await fetch(`${baseUrl}/search/catalog?q=lamp&count=20`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { Products }: { Products: unknown[] } = JSON.parse(await lamps.text());
      script = (await shop.bundle("page.js", "browser")).text;
      const { page, complaints } = await open("about:blank");
      await page.goto(origin);
      await tryWidgets(page, Products.length);
      expect(await page.locator("#rating li").count()).toBeGreaterThan(1);
      expect(complaints).toEqual([]);
    } finally {
      server.close();
    }
  });

  it("in React, rendered by a server and continued in the browser", async () => {
    let script = "";
    let renderPage = async () => "";
    const { origin, server } = await listen(async (path) =>
      path === "/browser.js"
        ? script
        : `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><body>${await renderPage()}<script type="module" src="/browser.js"></script></body></html>`,
    );
    try {
      const token = await createPublicToken(origin);
      shop.write("page.jsx", "instantsearch-react", token);
      shop.write("server.jsx", "instantsearch-react-server", token);
      shop.write("browser.jsx", "instantsearch-react-browser", token);
      const rendered = await shop.bundle("server.jsx", "node");
      ({ renderPage } = await import(pathToFileURL(rendered.path).href));
      script = (await shop.bundle("browser.jsx", "browser")).text;

      // The first response has the products already.
      const html = await (await fetch(origin)).text();
      expect(html.match(/class="ais-InfiniteHits-item"/g)).toHaveLength(20);

      const { page, complaints } = await open("about:blank");
      await page.goto(origin);
      await tryWidgets(page);
      expect(complaints).toEqual([]);
    } finally {
      server.close();
    }
  });
});
