import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { describeInBrowser, service } from "./in-browser.ts";
import { createPublicToken } from "./shop-site.ts";

const guide = readFileSync(new URL("../../../docs/search-box.md", import.meta.url), "utf8");
const [, html = ""] = /<!-- test: search-box -->\n```html\n([\s\S]*?)\n```/.exec(guide) ?? [];

interface Shop {
  origin: string;
  server: Server;
  serve(page: string): void;
}

/** The pages of a shop, at an origin that is not the service's. */
async function startShop(): Promise<Shop> {
  let page = "";
  const server = createServer((_request, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(page),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    server,
    serve: (next) => {
      page = next;
    },
  };
}

describeInBrowser("the search box of docs/search-box.md", (open) => {
  let shop: Shop;
  let other: Shop;
  beforeAll(async () => {
    [shop, other] = [await startShop(), await startShop()];
    const token = await createPublicToken(shop.origin);
    const page = html
      .replace("https://search.example/api/v1", `${service.url}/api/v1`)
      .replace("pss_your_public_token", token);
    expect(page).toContain(token);
    for (const one of [shop, other]) one.serve(page);
  });
  afterAll(() => {
    shop.server.close();
    other.server.close();
  });

  const type = async (page: Page, text: string) => {
    await page.getByRole("combobox").pressSequentially(text, { delay: 30 });
  };

  it("suggests while one types, and opens what is chosen by keyboard", async () => {
    const { page, complaints } = await open("about:blank");
    await page.goto(shop.origin);
    // Earlier suggestions are replaced, and with them what was chosen among them.
    const last = page.waitForResponse((response) => new URL(response.url()).searchParams.get("q") === "runn");
    await type(page, "runn");
    await last;
    const options = page.getByRole("option");
    await options.first().waitFor();
    expect(await options.first().textContent()).toMatch(/^runn/);
    await expect
      .poll(() =>
        options
          .last()
          .locator("img")
          .evaluate((image: HTMLImageElement) => image.naturalWidth),
      )
      .toBeGreaterThan(0);
    const chosen = page.getByRole("option", { selected: true });
    await expect
      .poll(async () => {
        if ((await chosen.count()) === 0) await page.keyboard.press("ArrowDown");
        return chosen.count();
      })
      .toBe(1);
    const text = (await chosen.textContent()) ?? "";
    // What a page has besides its search box is the shop's own matter.
    const issues = await findAccessibilityIssues(page);
    expect(issues.filter((issue) => !/^(?:landmark|page-has|region)/.test(issue))).toEqual([]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${shop.origin}/search?q=${encodeURIComponent(text)}`);
    expect(complaints).toEqual([]);
  });

  it("opens a product by pointer, closes with Escape, and searches for what was typed", async () => {
    const { page } = await open("about:blank");
    await page.goto(shop.origin);
    await type(page, "lamp");
    await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await page.waitForURL(`${shop.origin}/search?q=lamp`);
    await type(page, "lamp");
    await page.getByRole("option").last().click();
    await page.waitForURL(`${service.url}/products/*`);
  });

  it("does nothing on a page of another origin", async () => {
    const { page } = await open("about:blank");
    await page.goto(other.origin);
    // What the browser keeps from the page is a failed request for its tools as well.
    const refused = page.waitForEvent("requestfailed", (request) => request.url().includes("suggestions"));
    await type(page, "lamp");
    await refused;
    expect(await page.getByRole("option").count()).toBe(0);
  });
});
