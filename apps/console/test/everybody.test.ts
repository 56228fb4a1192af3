import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findAccessibilityIssues, type Look, layoutShift } from "./browser.ts";
import {
  cards,
  describeInBrowser,
  findProduct,
  findProducts,
  openWebhookForm,
  service,
} from "./in-browser.ts";

/** Nothing for axe to find, and nothing that is wider than the screen. */
async function expectToSuitEverybody(page: Page, what: string): Promise<void> {
  expect(await findAccessibilityIssues(page), what).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, what).toBeLessThanOrEqual(0);
}

describeInBrowser("the console for everybody", (open) => {
  const screens = [
    "/",
    "/?q=running shoes",
    "/?q=shoes under 80&brands=Nobody",
    "/ask",
    "/marketplaces?q=mug",
    "/picture",
    "/insights",
    "/merchandising?rule=new&query=lamp",
    "/merchandising?tab=synonyms",
    "/webhooks",
    "/mock",
    "/brands/Nobody",
    "/nowhere",
  ];
  const looks: [string, Look][] = [
    ["light and wide", {}],
    ["dark and narrow", { dark: true, width: 360, height: 740 }],
  ];
  it.each(looks)("axe finds nothing, and nothing overflows: %s", async (_, look) => {
    const { page } = await open("/", { ...look, token: service.token });
    const { slug, _id } = await findProduct("mug");
    for (const screen of [...screens, `/products/${slug}?id=${_id}`]) {
      await page.goto(screen);
      await page.waitForLoadState("networkidle");
      await expectToSuitEverybody(page, screen);
    }
  });

  it.each(looks)("axe finds nothing in responses, and nothing overflows: %s", async (_, look) => {
    const { page } = await open("/ask", { ...look, token: service.token });
    await page.getByLabel("Your question").fill("running shoes under 100");
    await page.keyboard.press("Enter");
    await page.getByText("Interpreted as").waitFor();
    await expectToSuitEverybody(page, "a response");

    await page.goto("/picture");
    const [mug] = await findProducts("mug");
    const buffer = Buffer.from(await (await fetch(mug?.images[0] ?? "")).arrayBuffer());
    await page.getByLabel("Image file").setInputFiles({ name: "mug.jpg", mimeType: "image/jpeg", buffer });
    await page.locator("button.box").first().click();
    await page.locator("article.card").first().waitFor();
    await expectToSuitEverybody(page, "an image");

    await page.goto("/webhooks");
    await openWebhookForm(page);
    await page.getByLabel("Target URL").fill("http://127.0.0.1:9999/hook");
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByLabel("I have saved the key").check();
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Send a test delivery" }).first().click();
    await page.getByText("1 attempt").first().click();
    await expectToSuitEverybody(page, "a webhook");
  });

  it("everything can be reached by keyboard", async () => {
    const { page } = await open("/mock");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    await page.keyboard.press("/");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("mug");
    await page.locator(cards).first().waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("mug");
    // Through the rest of the form to the first product, and on to its page.
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press("Tab");
    const name = (await page.locator(`${cards} h3`).first().textContent()) ?? "";
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name }).waitFor();
  });

  it("the light can be chosen, and stays chosen", async () => {
    const { page } = await open("/", { dark: false });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: /^Theme: auto/ }).click();
    await page.getByRole("button", { name: /^Theme: light/ }).click();
    await page.getByRole("button", { name: /^Theme: dark/ }).waitFor();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: /^Theme: dark/ }).click();
    await page.getByRole("button", { name: /^Theme: auto/ }).waitFor();
    expect(await ground()).toBe(light);
  });

  it("the reference and the document open, and so do the commands for the mock", async () => {
    const { page } = await open("/");
    const foot = page.locator("footer");
    for (const [name, type] of [
      ["API reference", "text/html"],
      ["OpenAPI document", "yaml"],
      ["For operators", "text/plain"],
    ] as const) {
      const address = (await foot.getByRole("link", { name }).getAttribute("href")) ?? "";
      const response = await page.request.get(address);
      expect(response.status(), name).toBe(200);
      expect(response.headers()["content-type"], name).toContain(type);
    }
    await foot.getByRole("link", { name: "Mock" }).click();
    await page.getByRole("heading", { name: "The mock", exact: true }).waitFor();
    const commands = await page.locator(".command code").allTextContents();
    expect(commands.length).toBe(3);
    // There the commands are run.
    const guide = readFileSync(new URL("../../../docs/partners.md", import.meta.url), "utf8");
    for (const command of commands) expect(guide).toContain(`${command}\n`);
  });

  it("the reference has working examples, the token of the console and a way back", async () => {
    const { page } = await open("/docs/", { token: service.token });
    await page.getByText(`curl '${service.url}/api/v1/search/trial?q=mug'`).first().waitFor();
    expect(await page.getByText("{base_url}").count()).toBe(0);
    const sidebar = page.locator("aside").first();
    const titles = [
      "Text search, trial",
      "Search the whole catalog",
      "Image search, step 1",
      "Ask a question",
      "Create a webhook",
      "Create a rule for searches",
    ];
    const text = (await sidebar.textContent()) ?? "";
    const places = titles.map((title) => text.indexOf(title));
    expect(places, text).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
    expect(
      await page
        .locator("input")
        .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value)),
    ).toContain(service.token);
    await page.getByRole("link", { name: "Console" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
  });

  it("the page's policy lets no script run but its own", async () => {
    const { page } = await open("/");
    const policy = (await page.request.get("/")).headers()["content-security-policy"];
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|\*/);
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.hacked = 1";
      document.body.append(script);
    });
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  it("the first view is light, shifts nothing, and loads nothing from elsewhere", async () => {
    const { page } = await open("/?q=running shoes", { token: service.token });
    await page.locator(cards).first().waitFor();
    const weights = await page.evaluate(() => {
      const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      const sum = (type: RegExp) =>
        entries
          .filter(({ name }) => type.test(name))
          .reduce((total, { encodedBodySize }) => total + encodedBodySize, 0);
      return {
        script: sum(/\.js$/),
        style: sum(/\.css$/),
        hosts: [...new Set(entries.map(({ name }) => new URL(name).host))],
      };
    });
    expect(weights.script).toBeGreaterThan(1000);
    expect(weights.script).toBeLessThan(110_000);
    expect(weights.hosts).toEqual([new URL(service.url).host]);
    expect(await layoutShift(page)).toBeLessThan(0.01);
  });
});

const maxSteps = 3;
const maxMs = 60_000;

describeInBrowser("from the first screen to an alert", (open) => {
  it("takes three steps and less than a minute, for a product that was found by a filter", async () => {
    const { page, complaints } = await open("/", { token: service.token });
    const started = performance.now();
    const steps: string[] = [];
    const step = async (what: string, run: () => Promise<void>) => {
      const before = performance.now();
      await run();
      steps.push(`${what} (${Math.round(performance.now() - before)} ms)`);
    };

    await step("choose a category", async () => {
      await page.locator(".categories button", { hasText: "Lamps" }).click();
      await page.locator(".catalog-results article.card").first().waitFor();
    });
    await step("open a product", async () => {
      await page.locator(".catalog-results article.card h3 a").first().click();
      await page.getByRole("heading", { name: "Get alerts for this product" }).waitFor();
    });
    const productId = new URL(page.url()).searchParams.get("id");
    await step("say where to, and save the key", async () => {
      await page.getByLabel("Send a webhook to").fill("http://127.0.0.1:9999/journey");
      await page.getByRole("button", { name: "Alert me" }).click();
      await page.getByLabel("I have saved the key").check();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("The webhook was created.").waitFor();
    });
    const tookMs = performance.now() - started;
    console.info(`From the first screen to an alert: ${steps.join(", ")}; ${Math.round(tookMs)} ms in all.`);
    expect(steps.length).toBeLessThanOrEqual(maxSteps);
    expect(tookMs).toBeLessThan(maxMs);

    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.url}/api/v1/webhooks`, { headers });
    const { data } = (await response.json()) as { data: object[] };
    expect(data).toContainEqual(
      expect.objectContaining({ webhookUrl: "http://127.0.0.1:9999/journey", productIds: [productId] }),
    );
    expect(complaints).toEqual([]);
  });

  it("does not append what somebody types to a target that arrives late", async () => {
    const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
    const webhook = { webhookUrl: "http://127.0.0.1:9999/late", webhookType: "price.alert" };
    await fetch(`${service.url}/api/v1/webhooks`, {
      method: "POST",
      headers,
      body: JSON.stringify(webhook),
    });
    const { page } = await open("/", { token: service.token });
    let answer = () => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/v1/webhooks", async (route) => {
      await asked;
      await route.continue();
    });
    await page.locator(".categories button", { hasText: "Lamps" }).click();
    await page.locator(".catalog-results article.card h3 a").first().click();
    const field = page.getByLabel("Send a webhook to");
    await field.focus();
    const answered = page.waitForResponse("**/api/v1/webhooks");
    answer();
    await answered;
    await page.waitForTimeout(200);
    await page.keyboard.type("http://127.0.0.1:9999/typed");
    expect(await field.inputValue()).toBe("http://127.0.0.1:9999/typed");
  });
});

const widths = [360, 1280];
const slowly = (page: Page) =>
  page.route("**/api/v1/**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });

describeInBrowser("nothing that is in sight moves when a slow response comes", (open) => {
  it.each([
    ["/", ".examples button"],
    ["/marketplaces", ".examples button"],
    ["/?q=mug", ".results article.card"],
    ["/?q=mug under 60 not blue&rating=3&availability=in_stock", ".results article.card"],
    ["/?q=shoes&attributes=color:Black&categories=Shoes", ".results article.card"],
    ["/?q=mug&min=900000", ".results .notice"],
    ["/?q=mug&page=2", ".results article.card"],
    ["/brands/Nobody", ".notice"],
    ["/products/none-such", ".notice"],
    ["a product", "section[aria-labelledby=similar] article.card h3"],
    ["/marketplaces?q=mug", ".results article.card"],
    ["/marketplaces?q=qqqxxxzzz", ".results .notice"],
    ["/insights", ".search-chart, .notice"],
    ["/merchandising", ".notice"],
    ["/merchandising?tab=synonyms", ".synonyms li"],
    ["/webhooks", ".webhook-card"],
  ])("%s", async (what, sign) => {
    const path = what === "a product" ? await productPath() : what;
    if (path === "/webhooks") await createWebhooks(3);
    const looks = widths.map(async (width) => {
      const { page } = await open("/nowhere", { token: service.token, width });
      await slowly(page);
      await page.goto(path);
      await page.locator(sign).first().waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });

  it.each(["an image", "no image at all"])("/picture with %s", async (kind) => {
    const { images } = await findProduct("mug");
    const image = Buffer.from(await (await fetch(images[0] ?? "")).arrayBuffer());
    const looks = widths.map(async (width) => {
      const { page } = await open("/picture", { token: service.token, width });
      await slowly(page);
      const buffer = kind === "an image" ? image : Buffer.from("none");
      await page.getByLabel("Image file").setInputFiles({ name: "it.jpg", mimeType: "image/jpeg", buffer });
      const sign = kind === "an image" ? "article.card h3" : ".notice.error";
      await page.locator(sign).first().waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });

  it("/ask, when a response comes", async () => {
    const looks = widths.map(async (width) => {
      const { page } = await open("/ask", { token: service.token, width });
      await slowly(page);
      await page.getByLabel("Your question").fill("running shoes under 100");
      await page.keyboard.press("Enter");
      await page.getByText("Interpreted as").waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });
});

async function productPath(): Promise<string> {
  const { slug, _id } = await findProduct("mug");
  return `/products/${slug}?id=${_id}`;
}

async function createWebhooks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${service.url}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ webhookUrl: `https://example.com/${index}`, webhookType: "stock.alert" }),
    });
    expect(response.status).toBe(201);
  }
}
