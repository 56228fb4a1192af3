import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page, type Route } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { describeOnServer } from "../../../packages/testing/src/servers/suite.ts";

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const built = pathOf("../dist");
const commands = {
  service: { args: [pathOf("../../api/dist/main.js"), "start"], prints: /Shop\s+(\S+)/ },
  mock: { args: [pathOf("../../mock/dist/main.js"), "--port", "0"], prints: /(http:\/\/\S+)\/api\/v1/ },
};
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .toSpliced(0, 0, process.env.CHROMIUM ?? "")
  .find((path) => path !== "" && existsSync(path));
const isHidden = process.env.CHROMIUM === "none";
const missing =
  executablePath === undefined || isHidden
    ? "it needs a browser: Debian's `chromium`, or one named in CHROMIUM"
    : undefined;

async function tokenOf(shop: string): Promise<string | undefined> {
  return /name="shop-token" content="(\w+)"/.exec(await (await fetch(shop)).text())?.[1];
}

/** The service serves the page. The mock has none: its files come from elsewhere. */
const pageTests = (kind: keyof typeof commands) => () => {
  const onlyService = it.skipIf(kind === "mock");
  let service: ChildProcess;
  let folder: string;
  let shop: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "shop-"));
    const { args, prints } = commands[kind];
    service = spawn(process.execPath, args, {
      env: { ...process.env, PORT: "0", DATA_DIR: folder, THREADS: "1" },
      stdio: ["ignore", "pipe", "ignore"],
    });
    shop = await new Promise((resolve, reject) => {
      let output = "";
      service.stdout?.on("data", (chunk) => {
        output += chunk;
        const url = prints.exec(output)?.[1];
        if (url !== undefined) resolve(url);
      });
      service.once("exit", () => reject(new Error("The service ended early.")));
    });
    if (kind === "mock") shop += "/shop";
    browser = await chromium.launch({
      ...(executablePath !== undefined && { executablePath }),
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    service?.kill("SIGTERM");
    await new Promise((resolve) => service?.once("exit", resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(path = "", { width = 1280, dark = false } = {}): Promise<Page> {
    const page = await browser.newPage({
      viewport: { width, height: 900 },
      colorScheme: dark ? "dark" : "light",
    });
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (line) => {
      // The browser itself writes of each response that is an error.
      if (line.type() === "error" && !/status of (404|503)/.test(line.text())) complaints.push(line.text());
    });
    onTestFinished(async () => {
      await page.close();
      expect(complaints).toEqual([]);
    });
    if (kind === "mock") await page.route(/:\d+\/shop/, sendFile);
    await page.goto(shop + path);
    return page;
  }

  /** As a host of files would. */
  async function sendFile(route: Route): Promise<void> {
    const { pathname } = new URL(route.request().url());
    if (extname(pathname) !== "") return route.fulfill({ path: join(built, pathname.replace("/shop", "")) });
    const html = readFileSync(join(built, "index.html"), "utf8").replace(
      'token" content=""',
      'token" content="any"',
    );
    return route.fulfill({ contentType: "text/html", body: html });
  }

  const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  async function findings(page: Page): Promise<string[]> {
    await page.evaluate(await readFile(axePath, "utf8"));
    return page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
  }

  it("searches as you type, filters, and opens a product", async () => {
    const page = await open();
    await page.waitForSelector(".card");
    const field = page.getByRole("combobox", { name: "Search all products" });
    await field.fill("lam");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await expect.poll(() => options.count()).toBeGreaterThan(2);
    await field.press("Escape");
    await expect.poll(() => options.first().isVisible()).toBe(false);
    expect(await field.inputValue()).toBe("lam");
    await field.press("ArrowDown");
    await expect.poll(() => options.first().isVisible()).toBe(true);
    await field.press("ArrowDown");
    await expect.poll(() => field.getAttribute("aria-activedescendant")).toMatch(/-0$/);
    await field.press("Enter");
    await expect.poll(() => page.locator(".card h3").first().textContent()).toMatch(/lamp/i);
    const before = await page.locator(".count").textContent();
    await page.locator(".ais-RefinementList-checkbox").first().check();
    await expect.poll(() => page.locator(".count").textContent()).not.toBe(before);
    // InstantSearch writes the address a moment after the search.
    await expect.poll(() => new URL(page.url()).search).toContain("lam");
    await page.locator(".card a").first().click();
    await page.waitForSelector(".details h1");
    expect(new URL(page.url()).pathname).toMatch(/^\/shop\/products\//);
    await page.goBack();
    await page.waitForSelector(".card");
  });

  it("searches once for several keys on the price slider", async () => {
    const page = await open("?products%5Bquery%5D=lamp");
    await page.waitForSelector(".card");
    const searches: string[] = [];
    page.on("request", (request) => {
      if (/\/search\/(?:batch|catalog)/.test(request.url())) searches.push(request.url());
    });
    const before = await page.locator(".count").textContent();
    const slider = page.getByRole("slider", { name: "Lowest price" });
    await slider.focus();
    for (let presses = 0; presses < 20; presses++) await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.locator(".count").textContent()).not.toBe(before);
    // On a busy machine there may be a pause between two keys.
    expect(searches.length).toBeLessThan(5);
  });

  onlyService("has its first results in the HTML, and the browser goes on from there", async () => {
    const address = `${shop}?products%5Bquery%5D=desk%20lamp`;
    // The thread that renders starts with the first visit.
    await expect
      .poll(async () => (await fetch(address)).text())
      .toMatch(/<li><article class="card">.*desk lamp/i);
    const page = await open("?products%5Bquery%5D=desk%20lamp");
    const searches: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/search/batch")) searches.push(request.postData() ?? "");
    });
    await page.reload({ waitUntil: "networkidle" });
    expect(searches).toEqual([]);
    const count = await page.locator(".count").textContent();
    await page.getByRole("button", { name: /^Black/ }).click();
    await expect.poll(() => page.locator(".ais-CurrentRefinements-item").count()).toBe(1);
    expect(searches).not.toEqual([]);
    // A search that comes later does not show the first results.
    await page.locator(".card a").first().click();
    await page.waitForSelector(".details h1");
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.waitForSelector(".card");
    expect(await page.getByRole("combobox", { name: "Search all products" }).inputValue()).toBe("");
    expect(await page.locator(".count").textContent()).not.toBe(count);
  });

  onlyService(
    "has a product in the HTML of its page, and the browser requests it no second time",
    async () => {
      const authorization = `Bearer ${await tokenOf(shop)}`;
      const search = new URL("/api/v1/search/catalog?q=trail%20running%20shoes&grouped=true", shop);
      const results = await (await fetch(search, { headers: { authorization } })).json();
      const [{ _id: id, name }] = results.Products;
      const address = `${shop}/products/${id}`;
      // The thread that renders starts with the first visit.
      await expect.poll(async () => (await fetch(address)).text()).toContain(`<h1>${name}</h1>`);
      const html = await (await fetch(address)).text();
      expect(html).toMatch(
        new RegExp(`<title>${name} · .*<meta name="description" content="\\$[0-9.]+ · `, "s"),
      );
      expect(html.split("</head>")[0]?.match(/<title>|name="description"/g)).toHaveLength(2);
      expect(html).toContain('"@type":"Product"');
      expect(html).toMatch(
        /<div class="pictures"><img src="http.*<p class="price">.*<ul class="variants".*<\/article>/,
      );
      const page = await open(`/products/${id}`);
      const title = await page.title();
      const requests: string[] = [];
      page.on("request", (request) => requests.push(new URL(request.url()).pathname));
      await page.reload({ waitUntil: "networkidle" });
      expect(requests).toContain(`/api/v1/products/${id}/related`);
      expect(requests).not.toContain(`/api/v1/products/${id}`);
      expect(await page.title()).toBe(title);
      // What the server has sent is about this product alone.
      await page.locator(".card a").first().click();
      await expect.poll(() => page.title()).not.toBe(title);
      await expect.poll(() => requests.filter((path) => /\/v1\/products\/[^/]+$/.test(path)).length).toBe(1);
    },
  );

  it("says that nothing was found, and that a product or a page does not exist", async () => {
    const nothing = await open("?products%5Bquery%5D=zzqqxx");
    await nothing.getByText("Nothing found").waitFor();
    for (const [path, title] of [
      ["/nowhere", "This page does not exist"],
      ["/products/nosuch", "This product does not exist"],
    ] as const) {
      const page = await open(path);
      await page.getByRole("heading", { name: title }).waitFor();
      expect(await page.title()).toBe(title);
      expect(await findings(page)).toEqual([]);
    }
    if (kind === "service") expect((await fetch(`${shop}/products/nosuch`)).status).toBe(404);
  });

  it("shows all products where the address is no state of the page", async () => {
    const page = await open("?products%5BrefinementList%5D%5Bbrand%5D%5Ba%5D=x");
    await page.waitForSelector(".card");
    expect(new URL(page.url()).search).toBe("");
  });

  it("shows what is alike and what was bought together", async () => {
    const page = await open();
    await page.route("**/related?kind=boughtTogether*", async (route) => {
      const response = await route.fetch({ url: route.request().url().replace("boughtTogether", "alike") });
      await route.fulfill({ response, json: { ...(await response.json()), kind: "boughtTogether" } });
    });
    await page.locator(".card a").first().click();
    for (const name of ["Bought together", "Similar products"]) {
      const section = page.locator("section", { has: page.getByRole("heading", { name }) });
      await expect.poll(() => section.locator(".card").count()).toBe(6);
    }
    expect(await findings(page)).toEqual([]);
  });

  it("shows nothing of the text before when the service is busy, and says so", async () => {
    const page = await open();
    await page.waitForSelector(".card");
    await page.route("**/search/batch", (route) =>
      route.fulfill({ status: 503, json: { status: "error", message: "Too much to do." } }),
    );
    await page.getByRole("combobox", { name: "Search all products" }).fill("lamp");
    await page.keyboard.press("Enter");
    await page.getByText("Too much to do.").waitFor();
    expect(await page.locator(".card").count()).toBe(0);
    await page.unroute("**/search/batch");
    await page.getByRole("combobox", { name: "Search all products" }).fill("lam");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".card");
  });

  it("says that it searches while the service is slow", async () => {
    const page = await open();
    await page.waitForSelector(".card");
    let send = () => {};
    const isSlow = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route("**/search/batch", async (route) => {
      await isSlow;
      await route.continue();
    });
    await page.getByRole("combobox", { name: "Search all products" }).fill("lamp");
    await expect.poll(() => page.locator(".count").textContent()).toBe("Searching …");
    send();
    await expect.poll(() => page.locator(".card h3").first().textContent()).toMatch(/lamp/i);
  });

  it("answers a question with products that can be opened", async () => {
    const page = await open("/ask");
    await page.getByLabel("Your question").fill("a leather bag under 150, not black");
    await page.keyboard.press("Enter");
    await page.locator(".picks a").first().click();
    await page.waitForSelector(".details h1");
  });

  it("finds products by a picture", async () => {
    const page = await open();
    const source = (await page.locator(".card img").first().getAttribute("src")) ?? "";
    const image = Buffer.from(await (await fetch(source)).arrayBuffer());
    await page.getByRole("link", { name: "By picture" }).click();
    const file = { name: "picture.jpg", mimeType: "image/jpeg", buffer: image };
    await page.locator("input[type=file]").setInputFiles(file);
    await expect.poll(() => page.locator(".card").count()).toBeGreaterThan(0);
  });

  it.each([
    ["", 1280, false],
    ["", 390, true],
    ["/ask", 390, false],
    ["/picture", 1280, true],
  ])("has no findings of axe, and nothing to scroll sideways: %s at %i pixels", async (path, width, dark) => {
    const page = await open(path, { width, dark });
    // While it searches, also a second time, the results are pale.
    await page.waitForLoadState("networkidle");
    if (path === "") await page.waitForSelector('.grid[aria-busy="false"] .card');
    expect(await findings(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  onlyService("is rendered in the browser alone when the visitor's searches are used up", async () => {
    const headers = { authorization: `Bearer ${await tokenOf(shop)}` };
    const suggestions = new URL("/api/v1/search/suggestions?q=a", shop);
    // The limit is one of a minute, which may end meanwhile.
    const isRenderedByBrowser = async () => {
      await Promise.all(Array.from({ length: 300 }, () => fetch(suggestions, { headers })));
      const pages = await Promise.all([fetch(shop), fetch(`${shop}/products/any`)]);
      const contents = await Promise.all(pages.map((page) => page.text()));
      return pages.every(
        ({ status }, place) => status === 200 && contents[place]?.includes('<div id="root"></div>'),
      );
    };
    await expect.poll(isRenderedByBrowser).toBe(true);
  });
};

describeOnServer("the shop page with the service", missing, pageTests("service"));
describeOnServer("the shop page with the mock", missing, pageTests("mock"));
