import { expect, it } from "vitest";
import { cards, describeInBrowser, findProduct, findProducts, service } from "./in-browser.ts";

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
