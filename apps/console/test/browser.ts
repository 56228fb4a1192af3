import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

const usualPlaces = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const { CHROMIUM: named } = process.env;

/** CHROMIUM, where `none` hides the browser of this machine, or else the system's. Without one the tests are skipped. */
export const chromiumPath = (named ? [named] : usualPlaces).find((path) => existsSync(path));

export function launch(): Promise<Browser> {
  if (!chromiumPath)
    throw new Error("No Chromium on this machine: install Debian's `chromium`, or name one in CHROMIUM.");
  return chromium.launch({
    executablePath: chromiumPath,
    // Nothing but the page under test may use the network.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // A camera that always shows the same test image, and that every page may use.
      "--use-fake-device-for-media-stream",
      "--use-fake-ui-for-media-stream",
    ],
  });
}

export interface Look {
  width?: number;
  height?: number;
  dark?: boolean;
  token?: string;
}

/** A fresh page, with what it complains about. */
export async function openPage(
  browser: Browser,
  url: string,
  look: Look = {},
): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: look.width ?? 1280, height: look.height ?? 900 },
    colorScheme: look.dark ? "dark" : "light",
    locale: "en-US",
  });
  // For what never comes: a busy machine may need longer than the usual half minute.
  context.setDefaultTimeout(120_000);
  const { token } = look;
  if (token !== undefined) {
    await context.addInitScript((value) => localStorage.setItem("product-search token", value), token);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // A refused request is an expected answer here; the page itself must be quiet.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  return { page, complaints };
}

/** How far things moved since the page was opened: its layout shifts, without those of the first moments after an input if so wanted. */
export function layoutShift(page: Page, { withInput = true } = {}): Promise<number> {
  return page.evaluate(
    (counted) =>
      new Promise<number>((resolve) => {
        let total = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            const { value, hadRecentInput } = entry as PerformanceEntry & {
              value: number;
              hadRecentInput: boolean;
            };
            if (counted || !hadRecentInput) total += value;
          }
        }).observe({ type: "layout-shift", buffered: true });
        setTimeout(() => resolve(total), 300);
      }),
    withInput,
  );
}

const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe finds against WCAG 2.2 AA, one line each. */
export async function findAccessibilityIssues(page: Page): Promise<string[]> {
  // Not as a script element: the page's own policy would rightly refuse it.
  const { readFile } = await import("node:fs/promises");
  await page.evaluate(await readFile(axePath, "utf8"));
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: {
        run(
          where: Document,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
      };
    };
    // Axe takes what a bar covers partly for too small. What that is depends on where the page is scrolled to.
    const bars = [...document.querySelectorAll<HTMLElement>("*")].filter(
      (element) => getComputedStyle(element).position === "sticky",
    );
    for (const bar of bars) bar.style.position = "static";
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: tags } });
    for (const bar of bars) bar.style.position = "";
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
    );
  });
}
