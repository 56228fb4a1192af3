import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, service } from "./in-browser.ts";

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
