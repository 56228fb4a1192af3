import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, service } from "./in-browser.ts";

async function search(text: string): Promise<number> {
  const response = await fetch(`${service.url}/api/v1/search/catalog?${new URLSearchParams({ q: text })}`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  return ((await response.json()) as { count: number }).count;
}

describeInBrowser("insights", (open) => {
  it("lead from a search without results to a synonym that mends it", async () => {
    expect(await search("zzlampion")).toBe(0);
    expect(await search("desk lamp")).toBeGreaterThan(0);
    const { page, complaints } = await open("/insights?kind=noResults", { token: service.token });
    const mend = page.getByRole("link", { name: "Synonym for zzlampion", exact: true });
    await expect
      .poll(async () => {
        await page.getByRole("button", { name: "Refresh" }).click();
        return mend.count();
      })
      .toBe(1);
    await page.getByText("Searches by day").waitFor();
    expect(await page.getByRole("link", { name: "desk lamp", exact: true }).count()).toBe(0);
    await page.getByRole("radio", { name: "Most frequent" }).check();
    await page.getByRole("link", { name: "Rule for desk lamp", exact: true }).waitFor();
    await page.getByText("Days as a table").click();
    expect(await findAccessibilityIssues(page)).toEqual([]);

    await page.getByRole("radio", { name: "Without results" }).check();
    await mend.click();
    const field = page.getByLabel("New synonym");
    await expect.poll(() => field.inputValue()).toBe("zzlampion → ");
    // A key that is pressed before would be lost.
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type("lamp");
    await expect.poll(() => field.inputValue()).toBe("zzlampion → lamp");
    await page.keyboard.press("Enter");
    await page.getByText("“zzlampion → lamp” applies").waitFor();
    await expect.poll(() => search("zzlampion")).toBeGreaterThan(0);
    await page.getByRole("button", { name: "Remove “zzlampion → lamp”" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("count a result that is opened, with its position", async () => {
    const { page } = await open("/?q=lamp&page=2", { token: service.token });
    const third = page.locator(cards).nth(2).getByRole("heading").getByRole("link");
    const [request] = await Promise.all([page.waitForRequest("**/api/v1/events"), third.click()]);
    const { events } = request.postDataJSON();
    expect(events).toEqual([
      { type: "click", productId: expect.any(String), queryId: expect.any(String), position: 33 },
    ]);
    const response = await request.response();
    expect(await response?.json()).toEqual({ status: "success", accepted: 1 });
  });

  it("begin a rule for a search, and show its days as bars that fit", async () => {
    const { page } = await open("/nowhere", { token: service.token, width: 390, height: 844 });
    const series = Array.from({ length: 30 }, (_, index) => {
      const day = new Date(Date.UTC(2026, 10, 1 + index)).toISOString().slice(0, 10);
      return { day, searches: index * 1000, noResults: index * 250, clicks: 3 };
    });
    const one = {
      query: "<b>gift</b>",
      searches: 9,
      results: 12,
      clicks: 3,
      clickRate: 0.333,
      averagePosition: 2.5,
      clickedProducts: [
        { _id: "p_1", name: `<script>alert(1)</script>${"Vase ".repeat(40)}`, slug: "vase", clicks: 2 },
      ],
    };
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({
        json: {
          status: "success",
          searches: [one],
          totals: { searches: 435_000, noResults: 108_750, clicks: 90 },
          series,
        },
      }),
    );
    await page.goto("/insights");
    await page.getByText("435,000", { exact: true }).waitFor();
    await page.getByText("25%", { exact: true }).waitFor();
    await page.locator(".day-ticks", { hasText: "Nov 30" }).waitFor();
    await page.locator(".bar-plot").scrollIntoViewIfNeeded();
    const plot = await page.locator(".bar-plot").boundingBox();
    await page.mouse.move((plot?.x ?? 0) + (plot?.width ?? 0) - 2, (plot?.y ?? 0) + 40);
    await page.getByText("Nov 30, 2026: 29,000 searches, 7,250 without results (25%), 3 clicks").waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBe(0);
    await page.getByRole("link", { name: /^<script>alert/ }).waitFor();
    await page.getByText("435,000 in the 30 days before").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("searches-top-30-days.csv");
    expect(readFileSync(await file.path(), "utf8")).toContain("<b>gift</b>,9,9,12,3,0.333,2.5,");
    await page.getByRole("link", { name: "Rule for <b>gift</b>" }).click();
    await expect.poll(() => page.getByLabel("Search text").inputValue()).toBe("<b>gift</b>");
  });

  it("explain how searches come to be counted, and which token they need", async () => {
    const { page } = await open("/nowhere", { token: service.token });
    const totals = { searches: 0, noResults: 0, clicks: 0 };
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({ json: { status: "success", searches: [], totals, series: [] } }),
    );
    await page.goto("/insights");
    await page.getByRole("heading", { name: "No searches were counted in this period" }).waitFor();
    await page.getByText("ANALYTICS_DAYS").waitFor();
    await page.unroute("**/insights/searches**");
    await page.route("**/insights/searches**", (route) =>
      route.fulfill({
        status: 403,
        json: { status: "error", message: "No.", code: "forbidden", requestId: "r" },
      }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByRole("heading", { name: /needs a token of the scope “merchandising”/ }).waitFor();
  });
});
