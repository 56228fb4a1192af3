import { expect, it } from "vitest";
import { cards, describeInBrowser, service } from "./in-browser.ts";

/** What the service says matches, and what its pages give when one walks them all. */
async function walk(source: string, q: string): Promise<{ count: number; names: string[] }> {
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const query = new URLSearchParams({ q, count: "250", page: String(page) });
    const headers = { authorization: `Bearer ${service.token}` };
    const response = await fetch(`${service.url}/api/v1/search/${source}?${query}`, { headers });
    const body = (await response.json()) as { Products: { name: string }[]; count: number; hasMore: boolean };
    names.push(...body.Products.map(({ name }) => name));
    if (!body.hasMore) return { count: body.count, names };
  }
}

describeInBrowser("marketplaces", (open) => {
  it.each(["A", "B"])("%s scrolls to its exact total, in order", async (letter) => {
    const source = `marketplace-${letter.toLowerCase()}`;
    const wanted = await walk(source, "shoes");
    expect(wanted.count).toBeGreaterThan(48);
    const { page } = await open(`/marketplaces?q=shoes&from=${source}`, { token: service.token });
    const total = new Intl.NumberFormat("en-US").format(wanted.count);
    await page.getByText(`${total} products on Marketplace ${letter}`).waitFor();
    expect(await page.locator(cards).count()).toBeLessThan(wanted.count);
    await expect
      .poll(
        async () => {
          await page.mouse.wheel(0, 4000);
          return page.locator(cards).count();
        },
        { timeout: 60_000 },
      )
      .toBe(wanted.count);
    await page.getByText("End of the results.").waitFor();
    expect(await page.locator(`${cards} h3`).allTextContents()).toEqual(wanted.names);
  });

  it("invite with what the catalog has", async () => {
    const { page } = await open("/marketplaces", { token: service.token });
    await page.getByRole("button", { name: "Mugs", exact: true }).click();
    await page.getByText("products on Marketplace A").waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe("mugs");
    expect(await page.locator(".card .badge").allTextContents()).not.toContain("#1");
  });

  it("are changed without typing again, and go on by keyboard", async () => {
    const { page } = await open("/marketplaces", { token: service.token });
    await page.getByRole("searchbox").fill("chair");
    await page.keyboard.press("Enter");
    await page.getByText("products on Marketplace A").waitFor();
    await page.getByRole("radio", { name: "Marketplace A" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("products on Marketplace B").waitFor();
    expect(new URL(page.url()).searchParams.get("from")).toBe("marketplace-b");
  });
});
