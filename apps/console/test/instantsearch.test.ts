import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeInBrowser, service } from "./in-browser.ts";
import { commandLine } from "./service.ts";

const guide = readFileSync(new URL("../../../docs/instantsearch.md", import.meta.url), "utf8");
const [, code = ""] = /<!-- test: instantsearch -->\n\n?```js\n([\s\S]*?)\n```/.exec(guide) ?? [];
const [, page = ""] = /<!-- test: instantsearch-page -->\n\n?```html\n([\s\S]*?)\n```/.exec(guide) ?? [];

async function createPublicToken(origin: string): Promise<string> {
  const args = ["token", "create", "--account", "shop", "--public", "--origins", origin, "--json"];
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: service.dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, [commandLine, ...args], { env });
  const { token }: { token: string } = JSON.parse(stdout);
  return token;
}

/** The guide's page, bundled as a shop would, at an origin of its own. */
async function bundle(token: string): Promise<string> {
  const contents = code
    .replace("https://search.example.com/api/v1", `${service.url}/api/v1`)
    .replace("pss_…", token);
  expect(contents).toContain(token);
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    write: false,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  return outputFiles[0]?.text ?? "";
}

describeInBrowser("the page of docs/instantsearch.md", (open) => {
  let origin = "";
  let server: Server;
  beforeAll(async () => {
    let script = "";
    server = createServer(({ url }, response) => {
      if (url === "/page.js") response.setHeader("content-type", "text/javascript").end(script);
      else response.setHeader("content-type", "text/html").end(page);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    script = await bundle(await createPublicToken(origin));
  });
  afterAll(() => server.close());

  it("searches, highlights, refines, sorts and scrolls, with a public token from another origin", async () => {
    const { page, complaints } = await open("/");
    await page.goto(origin);
    const hits = page.locator("#hits li");
    // Everything, before anything was typed.
    await expect.poll(() => hits.count()).toBe(20);
    await page.locator("#search input").fill("lamp");
    await expect.poll(() => page.locator("#hits mark").first().textContent()).toMatch(/^lamp/i);

    const brand = page.locator("#brands label").first();
    const name = await brand.locator(".ais-RefinementList-labelText").textContent();
    const count = Number(await brand.locator(".ais-RefinementList-count").textContent());
    expect(count).toBeGreaterThan(0);
    await brand.click();
    await expect.poll(() => hits.count()).toBe(Math.min(count, 20));
    for (const text of await hits.allTextContents()) expect(text).toContain(name);
    // The other brands are still there to be chosen.
    expect(await page.locator("#brands label").count()).toBeGreaterThan(1);
    await brand.click();

    await page.locator("#sort select").selectOption("products/price/asc");
    const arePricesSorted = async () => {
      const texts = await hits.allTextContents();
      const prices = texts.map((text) => Number(/([\d.]+)\s*$/.exec(text)?.[1]));
      return prices.length === 20 && prices.every((price, index) => price >= (prices[index - 1] ?? 0));
    };
    await expect.poll(arePricesSorted).toBe(true);
    await page.locator("#hits .ais-InfiniteHits-loadMore").click();
    await expect.poll(() => hits.count()).toBe(40);
    expect(await page.locator("#rating li").count()).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });
});
