import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, findProduct, findProducts, service } from "./in-browser.ts";
import { createPublicToken } from "./shop-site.ts";

describeInBrowser("search", (open) => {
  it("shows results as one types, with image and price", async () => {
    const { page, complaints } = await open("/");
    await page
      .getByRole("searchbox", { name: "Search the catalog" })
      .pressSequentially("running sh", { delay: 20 });
    await page.locator(cards).first().waitFor();
    expect(await page.locator(cards).count()).toBe(5);
    await expect.poll(() => page.url()).toContain("q=running+sh");
    const first = page.locator(cards).first();
    expect(await first.textContent()).toMatch(/shoes/i);
    expect(await first.textContent()).toMatch(/\$\d/);
    const image = first.locator("img");
    await expect
      .poll(() => image.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0);
    expect(complaints).toEqual([]);
  });

  it("shows rating and discount", async () => {
    const { page } = await open("/?q=bag&sort=discount");
    await page.locator(cards).first().waitFor();
    expect(await page.locator(`${cards} .badge`).first().textContent()).toMatch(/^−\d+%$/);
    expect(await page.locator(`${cards} .rating`).first().textContent()).toMatch(/^★ \d\.\d/);
  });

  it("follows what is typed next, whichever answer comes first", async () => {
    const { page } = await open("/");
    await page.route("**/search/trial?q=mug", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      await route.continue();
    });
    await page.getByRole("searchbox").fill("mug");
    await page.waitForTimeout(400);
    await page.getByRole("searchbox").fill("watch");
    await page.locator(cards, { hasText: /watch/i }).first().waitFor();
    await page.waitForTimeout(900);
    const names = await page.locator(`${cards} h3`).allTextContents();
    expect(names).toEqual((await findProducts("watch")).map(({ name }) => name));
  });

  it("keeps to the price range and the order that is chosen", async () => {
    const { page } = await open("/?q=bag");
    await page.locator(cards).first().waitFor();
    await page.getByRole("textbox", { name: "Lowest price" }).fill("20");
    await page.getByRole("textbox", { name: "Highest price" }).fill("90");
    await page.getByLabel("Sort by").selectOption("Price, highest first");
    const prices = async () => {
      const texts = await page.locator(`${cards} .price-line strong`).allTextContents();
      return texts.map((text) => Number(text.replace(/[^\d.]/g, "")));
    };
    await expect
      .poll(async () => {
        const found = await prices();
        return (
          found.length === 5 &&
          found.every((price) => price >= 20 && price <= 90) &&
          found.join() === found.toSorted((a, b) => b - a).join()
        );
      })
      .toBe(true);
  });

  it("says so when nothing is found", async () => {
    const { page } = await open("/?q=mug&min=900000");
    await page.getByRole("heading", { name: "Nothing found for “mug”" }).waitFor();
  });

  it("opens product and brand pages at the addresses that responds give", async () => {
    const { name, url, brand = "" } = await findProduct("watch");
    const { page } = await open(url);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.getByRole("slider", { name: "Price history" }).waitFor();
    await page.getByRole("link", { name: brand }).first().click();
    await page.getByRole("heading", { level: 1, name: brand }).waitFor();
    await page.locator("article.card").first().waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: brand }).waitFor();
  });

  it("shows the whole catalog of a brand with a token", async () => {
    const { brand = "" } = await findProduct("watch");
    const { page } = await open(`/brands/${encodeURIComponent(brand)}`, { token: service.token });
    await page.getByRole("link", { name: "All in the catalog" }).click();
    await page.locator(cards).first().waitFor();
    expect(new URL(page.url()).searchParams.getAll("brands")).toEqual([brand]);
  });

  it("finds brands by a part of their name, and leads to their pages", async () => {
    const { brand = "" } = await findProduct("watch");
    const { page } = await open("/brands/Nobody", { token: service.token });
    await page.getByRole("searchbox", { name: "Search brands" }).fill(brand.slice(0, -1));
    await page.getByRole("link", { name: brand, exact: true }).click();
    await page.getByRole("heading", { level: 1, name: brand }).waitFor();
  });
});

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

const field = (page: Page) => page.getByRole("combobox", { name: "Search the catalog" });
const all = (page: Page) => page.locator(".suggestions [role=option]");
const options = (page: Page, group: string) => page.getByRole("group", { name: group }).getByRole("option");

/** What is typed before the field has the focus is lost. */
const untilFocused = (page: Page) =>
  expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("catalog-search");

describeInBrowser("suggestions", (open) => {
  const start = async (path = "/") => {
    const opened = await open(path, { token: service.token });
    if (path === "/") await untilFocused(opened.page);
    return opened;
  };

  it("are chosen with the arrow keys and Enter", async () => {
    const { page, complaints } = await start();
    expect(await field(page).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.type("runn");
    await options(page, "Searches").first().waitFor();
    expect(await field(page).getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = page.locator(".suggestions [aria-selected=true]");
    expect(await field(page).getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"));
    const text = (await chosen.textContent()) ?? "";
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe(text);
    expect(await field(page).inputValue()).toBe(text);
    await page.locator(cards).first().waitFor();
    expect(await all(page).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("go round, and are closed with Escape; the words stay, and a second Escape empties the field", async () => {
    const { page } = await start();
    await page.keyboard.type("lamp");
    await options(page, "Searches").first().waitFor();
    await page.keyboard.press("ArrowUp");
    expect(await all(page).last().getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator(".suggestions [aria-selected=true]").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await all(page).count()).toBe(0);
    expect(await field(page).inputValue()).toBe("lamp");
    await page.keyboard.press("Escape");
    expect(await field(page).inputValue()).toBe("");
  });

  it("close when the focus goes elsewhere", async () => {
    const { page } = await start();
    await page.keyboard.type("lamp");
    await options(page, "Searches").first().waitFor();
    await page.getByRole("heading", { level: 1 }).click();
    await expect.poll(() => all(page).count()).toBe(0);
  });

  it("search for what is typed when none is chosen", async () => {
    const { page } = await start();
    await page.keyboard.type("lam");
    await options(page, "Searches").first().waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).searchParams.get("q")).toBe("lam");
  });

  it("lead to brands and categories as filters, and to products", async () => {
    const { page } = await start();
    await page.keyboard.type("runa");
    await options(page, "Brands").getByText("Runa Sport").click();
    await expect.poll(() => new URL(page.url()).search).toBe("?brands=Runa+Sport");
    await field(page).fill("lam");
    await options(page, "Categories").getByText("Lamps").click();
    await expect.poll(() => new URL(page.url()).search).toBe("?categories=Lamps");
    await field(page).fill("lamp");
    const product = options(page, "Products").first();
    const name = (await product.locator("span").first().textContent()) ?? "";
    await product.click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  });

  it("are found with / and Ctrl+K from every screen, and typed slashes stay text", async () => {
    const { page } = await start("/webhooks");
    await page.getByRole("heading", { name: "Webhooks", exact: true }).click();
    await page.keyboard.press("/");
    await untilFocused(page);
    expect(new URL(page.url()).pathname).toBe("/");
    await page.keyboard.type("a/b");
    expect(await field(page).inputValue()).toBe("a/b");
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Your question").focus();
    await page.keyboard.press("Control+K");
    await untilFocused(page);
    await page.goto("/?q=lamp");
    await page.getByLabel("In stock").focus();
    await page.keyboard.press("/");
    await untilFocused(page);
  });

  it("are no hindrance when they fail", async () => {
    const { page } = await start("/nowhere");
    await page.route("**/search/suggestions?**", (route) => route.abort());
    await page.goto("/");
    await untilFocused(page);
    await page.keyboard.type("lamp");
    await page.keyboard.press("Enter");
    await page.locator(cards).first().waitFor();
  });
});
