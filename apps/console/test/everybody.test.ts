import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  chromiumPath,
  findAccessibilityFaults,
  type Look,
  launch,
  layoutShift,
  openPage,
} from "./browser.ts";

let browser: Browser;
const service = inject("service");

describe.runIf(chromiumPath)("the console for everybody", () => {
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  const open = async (path: string, look: Look = {}) => {
    const opened = await openPage(browser, service.url, look);
    await opened.page.goto(path);
    return opened;
  };
  const cards = ".results article.card";

  const screens = [
    "/",
    "/?q=running shoes",
    "/ask",
    "/marketplaces?q=mug",
    "/picture",
    "/webhooks",
    "/brands/Nobody",
    "/nowhere",
  ];
  const looks: [string, Look][] = [
    ["light and wide", {}],
    ["dark and narrow", { dark: true, width: 360, height: 740 }],
  ];
  it.each(looks)("axe finds nothing, and nothing overflows: %s", async (_, look) => {
    const { page } = await open("/", { ...look, token: service.token });
    for (const screen of screens) {
      await page.goto(screen);
      await page.waitForLoadState("networkidle");
      expect(await findAccessibilityFaults(page), screen).toEqual([]);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      expect(overflow, screen).toBeLessThanOrEqual(0);
    }
  });

  it("everything can be reached by keyboard", async () => {
    const { page } = await open("/");
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the content");
    for (let presses = 0; presses < 9; presses++) await page.keyboard.press("Tab");
    await page.keyboard.type("mug");
    await page.locator(cards).first().waitFor();
    expect(await page.getByRole("searchbox").inputValue()).toBe("mug");
  });

  it("the token stays in memory unless it is to be remembered", async () => {
    const { page } = await open("/webhooks");
    const set = async (remember: boolean) => {
      await page.getByText(/(Set token|Token set)/).click();
      await page.getByLabel("Access token").fill(service.token);
      await page.getByLabel("Remember it in this browser").setChecked(remember);
      await page.getByRole("button", { name: "Use it" }).click();
      await page.getByText("Token set").waitFor();
    };
    await set(false);
    await page.reload();
    await page.getByText("Set token").waitFor();
    await set(true);
    await page.reload();
    await page.getByText("Token set").waitFor();
  });

  it("takes the token from the address that `pnpm start` prints, and out of it", async () => {
    const { page } = await open(`/?q=mug#token=${service.token}`);
    await page.getByText("Token set").waitFor();
    expect(page.url()).toBe(`${service.url}/?q=mug`);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it("nothing that is in sight moves when a slow answer comes", async () => {
    const { page } = await open("/");
    await page.route("**/search/trial?**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await route.continue();
    });
    for (const path of ["/?q=mug", "/?q=mug&min=900000", "/brands/Nobody", "/products/none-such"]) {
      await page.goto(path);
      await page.waitForTimeout(1200);
      expect(await layoutShift(page), path).toBeLessThan(0.01);
    }
  });

  it("the first view is light, shifts nothing, and loads nothing from elsewhere", async () => {
    const { page } = await open("/?q=running shoes");
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
    expect(weights.script).toBeLessThan(150_000);
    expect(weights.hosts).toEqual([new URL(service.url).host]);
    expect(await layoutShift(page)).toBeLessThan(0.01);
  });
});
