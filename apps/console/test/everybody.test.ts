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
