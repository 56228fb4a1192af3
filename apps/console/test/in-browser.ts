import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, inject, onTestFinished, test } from "vitest";
import { chromiumPath, type Look, launch, openPage } from "./browser.ts";

/** The live service that all files of this folder look at. */
export const service = inject("service");

/** Opens an address of the console, given away when the test ends. */
export type Open = (path: string, look?: Look) => Promise<{ page: Page; complaints: string[] }>;

/** Tests of the page in one browser of their own; skipped where there is none. */
export function describeInBrowser(name: string, tests: (open: Open) => void): void {
  // `pnpm test --servers` runs only suites with this tag.
  const options = { tags: ["servers"] };
  if (!chromiumPath) {
    const missing = "it needs a browser: Debian's `chromium`, or one named in CHROMIUM";
    // `pnpm test` prints these lines again at its end.
    console.warn(`SKIPPED: ${name} | ${missing}`);
    describe.skip(name, options, () => test(`was not run: ${missing}`, () => {}));
    return;
  }
  describe(name, options, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());
    tests(async (path, look = {}) => {
      const opened = await openPage(browser, service.url, look);
      onTestFinished(async () => {
        // What still answers for the service has nobody to answer any more.
        await opened.page.unrouteAll({ behavior: "ignoreErrors" });
        await opened.page.context().close();
      });
      await opened.page.goto(path);
      return opened;
    });
  });
}

/** A result, wherever results are shown. */
export const cards = ".results article.card";

export interface ShownProduct {
  _id: string;
  name: string;
  slug: string;
  url: string;
  brand?: string;
  images: string[];
  priceHistory: unknown[];
}

/** What the service itself finds, to hold the page against. */
export async function findProducts(text: string): Promise<ShownProduct[]> {
  const response = await fetch(`${service.url}/api/v1/search/trial?${new URLSearchParams({ q: text })}`);
  const { Products } = (await response.json()) as { Products: ShownProduct[] };
  return Products;
}

export async function findProduct(text: string): Promise<ShownProduct> {
  const [first] = await findProducts(text);
  if (!first) throw new Error(`The sample catalog has nothing for “${text}”.`);
  return first;
}

/** Opens the form for a webhook, which is open already while there are none. */
export async function openWebhookForm(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "New webhook" });
  await page.locator(":is(button:enabled)", { hasText: "New webhook" }).waitFor();
  if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
}
