import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, service } from "./in-browser.ts";
import { importRows } from "./service.ts";

interface FoundProduct {
  _id: string;
  name: string;
  variants?: { _id: string; attributes: Record<string, string[]> }[];
}

interface Found {
  count: number;
  Products: FoundProduct[];
  facets: Record<"brands" | "categories", Counted[]> & { attributes: Record<string, Counted[]> };
}

interface Counted {
  value: string;
  count: number;
}

/** What the service itself finds, to hold the page against. */
async function ask(query: Record<string, string>): Promise<Found> {
  const parameters = new URLSearchParams({
    count: "30",
    facets: "brands,categories,attributes",
    grouped: "true",
    ...query,
  });
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.url}/api/v1/search/catalog?${parameters}`, { headers });
  return (await response.json()) as Found;
}

const field = (page: Page) => page.getByRole("combobox", { name: "Search the catalog" });
const total = (page: Page) => page.locator(".results-head [role=status]");
const names = (page: Page) => page.locator(".catalog-results > div > .grid h3").allTextContents();
const colorOf = (variant: { attributes: Record<string, string[]> }) =>
  variant.attributes.color?.join(", ") ?? "";
const countText = (count: number) =>
  `${new Intl.NumberFormat("en-US").format(count)} ${count === 1 ? "product" : "products"}`;
const facet = (page: Page, title: string) =>
  page.locator("fieldset.facet").filter({ has: page.locator("legend", { hasText: title }) });

describeInBrowser("the whole catalog", (open) => {
  const openWithToken = (path: string, width = 1280) => open(path, { token: service.token, width });

  it("takes an empty filter of the address for none", async () => {
    const { page } = await openWithToken("/?q=mug&brands=&categories=");
    await page.locator(cards).first().waitFor();
    const { count } = await ask({ q: "mug" });
    await total(page).getByText(countText(count), { exact: true }).waitFor();
  });

  it("offers the categories when no product has the words", async () => {
    const { page } = await openWithToken("/?q=zzqx");
    await page.getByRole("link", { name: "See all categories" }).click();
    await page.getByRole("heading", { name: "Categories" }).waitFor();
  });

  it("shows no placeholder of filters when the search failed", async () => {
    const { page } = await openWithToken("/nowhere");
    await page.route("**/search/catalog?**", (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto("/?q=mug");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await page.locator(".facets.skeleton").count()).toBe(0);
  });

  it("has the search field focused, and shows all matches with their number", async () => {
    const { page, complaints } = await openWithToken("/");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("catalog-search");
    await page.keyboard.type("mug");
    await page.keyboard.press("Enter");
    const wanted = await ask({ q: "mug" });
    expect(wanted.count).toBeGreaterThan(30);
    await total(page).getByText(countText(wanted.count), { exact: true }).waitFor();
    expect(await names(page)).toEqual(wanted.Products.map(({ name }) => name));
    expect(complaints).toEqual([]);
  });

  it("filters by facets as often as they count, shows the filters, and takes them back", async () => {
    const { page } = await openWithToken("/?q=shoes");
    const { count, facets } = await ask({ q: "shoes" });
    const [brand] = facets.brands;
    if (!brand) throw new Error("The sample catalog has no brands for shoes.");
    await facet(page, "Brands").getByLabel(brand.value).check();
    await total(page).getByText(countText(brand.count), { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.getAll("brands")).toEqual([brand.value]);
    // The other brands keep their numbers: one may choose a second one.
    expect(await facet(page, "Brands").getByRole("checkbox").count()).toBeGreaterThan(1);
    await page.getByRole("button", { name: `Remove the filter ${brand.value}` }).click();
    await total(page).getByText(countText(count), { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?q=shoes");
  });

  it("filters by attributes, colours by their swatches, and keeps the counts of the same attribute", async () => {
    const { page } = await openWithToken("/?q=shoes");
    const { facets } = await ask({ q: "shoes" });
    const [first, second] = facets.attributes.color ?? [];
    const [material] = facets.attributes.material ?? [];
    if (!first || !second || !material) throw new Error("The sample's shoes have no colours.");
    const color = facet(page, "Color").getByLabel(first.value);
    expect(await color.evaluate((box) => getComputedStyle(box).backgroundColor)).not.toBe("rgba(0, 0, 0, 0)");
    await color.check();
    await total(page).getByText(countText(first.count), { exact: true }).waitFor();
    await facet(page, "Color").getByLabel(second.value).check();
    const both = await ask({ q: "shoes", attributes: `color:${first.value},color:${second.value}` });
    await total(page).getByText(countText(both.count), { exact: true }).waitFor();
    await facet(page, "Material").getByLabel(material.value).check();
    const all = await ask({
      q: "shoes",
      attributes: `color:${first.value},color:${second.value},material:${material.value}`,
    });
    expect(all.count).toBeLessThan(both.count);
    await total(page).getByText(countText(all.count), { exact: true }).waitFor();
    await page.reload();
    await total(page).getByText(countText(all.count), { exact: true }).waitFor();
    await page.getByRole("button", { name: `Remove the filter Color: ${first.value}` }).click();
    await expect.poll(() => page.getByRole("button", { name: "Remove the filter" }).count()).toBe(2);
  });

  it("filters by a range of an attribute's numbers, where those of the whole catalog are numbers", async () => {
    const bottle = (name: string, capacity: string) => ({
      ...{ _id: name, name: `Rangetest bottle ${name}`, url: `/products/${name}`, price: 10 },
      ...{ availability: "in_stock", attributes: { capacity: [capacity] } },
    });
    await importRows(service.dataDir, [bottle("A", "1 l"), bottle("B", "1500 ml"), bottle("C", "3 l")]);
    await expect.poll(async () => (await ask({ q: "rangetest" })).count, { timeout: 20_000 }).toBe(3);
    const { page } = await openWithToken("/?q=rangetest");
    const capacity = facet(page, "Capacity (l)");
    const bound = (name: string) => capacity.getByRole("textbox", { name: `${name} capacity (l)` });
    await bound("Lowest").fill("1,2");
    expect(await bound("Highest").getAttribute("placeholder")).toBe("3");
    await bound("Lowest").press("Enter");
    await total(page).getByText("2 products", { exact: true }).waitFor();
    await bound("Highest").fill("1");
    expect(await capacity.getByRole("alert").textContent()).toContain("higher than the highest");
    await bound("Highest").fill("2");
    await bound("Highest").press("Enter");
    await total(page).getByText("1 product", { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.getAll("ranges")).toEqual(["capacity:1,2..2"]);
    await page.getByRole("button", { name: "Remove the filter Capacity: 1,2 to 2" }).click();
    await total(page).getByText("3 products", { exact: true }).waitFor();
    // Sizes of shoes are numbers, and those of shirts are not.
    await page.goto("/?q=shoes");
    await facet(page, "Size").getByRole("checkbox").first().waitFor();
    expect(await facet(page, "Size").getByRole("textbox").count()).toBe(0);
  });

  it("filters by the handles of a slider, as wide as the matches, by pointer and by keyboard", async () => {
    const kettle = (name: string, power: string, price: number) => ({
      ...{ _id: name, name: `Slidertest kettle ${name}`, url: `/products/${name}`, price },
      ...{ availability: "in_stock", attributes: { power: [power] } },
    });
    const heater = { ...kettle("D", "9000 W", 900), name: "Heater" };
    const kettles = [kettle("K1", "1000 W", 20), kettle("K2", "1500 W", 40), kettle("K3", "2000 W", 120)];
    await importRows(service.dataDir, [...kettles, heater]);
    await expect.poll(async () => (await ask({ q: "slidertest" })).count, { timeout: 20_000 }).toBe(3);
    const { page, complaints } = await openWithToken("/?q=slidertest", 390);
    await page.getByRole("button", { name: /^Filters/ }).click();
    const handle = (name: string) => page.getByRole("slider", { name, exact: true });
    const text = (name: string) => handle(name).getAttribute("aria-valuetext");
    const shown = () => page.locator(`${cards} h3`).allTextContents();
    const [lowest, highest] = ["Lowest power (W)", "Highest power (W)"];
    await handle(lowest).waitFor();
    expect([await text(lowest), await text(highest)]).toEqual(["1000 W", "2000 W"]);
    // To the middle of the line, and a little back.
    const box = await handle(highest).boundingBox();
    if (!box) throw new Error("The slider is not shown.");
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 12, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 2, y, { steps: 4 });
    expect(new URL(page.url()).searchParams.has("ranges")).toBe(false);
    await page.mouse.up();
    await expect.poll(shown).toEqual(["Slidertest kettle K1", "Slidertest kettle K2"]);
    const max = Number((await text(highest))?.replace(" W", ""));
    expect(max).toBeGreaterThanOrEqual(1500);
    expect(max).toBeLessThan(1560);
    expect(new URL(page.url()).searchParams.getAll("ranges")).toEqual([`power:..${max}`]);
    expect(await page.getByRole("textbox", { name: highest }).inputValue()).toBe(String(max));
    await handle(lowest).focus();
    for (let presses = 1; presses <= 3; presses++) await page.keyboard.press("ArrowRight");
    await expect.poll(shown).toEqual(["Slidertest kettle K2"]);
    expect(await text(lowest)).toBe("1030 W");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(lowest);
    // A handle does not pass the other, and at its end it is no bound.
    await page.keyboard.press("End");
    await expect.poll(() => text(lowest)).toBe(`${max} W`);
    await page.keyboard.press("Home");
    await handle(highest).press("End");
    await expect.poll(async () => (await shown()).length).toBe(3);
    expect(new URL(page.url()).searchParams.has("ranges")).toBe(false);
    expect(await text("Lowest price")).toBe("$20.00");
    await handle("Lowest price").press("ArrowRight");
    await expect.poll(async () => (await shown()).length).toBe(2);
    await expect.poll(() => new URL(page.url()).searchParams.get("min")).toBe("21");
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("goes down the tree of categories, and a part replaces the whole", async () => {
    const { page } = await openWithToken("/?minRating=0&q=wooden");
    const tree = page.locator(".category-tree");
    await tree.getByRole("button", { name: "Categories of Home & Garden" }).click();
    await tree.getByLabel("Furniture").check();
    const furniture = await ask({ q: "wooden", categories: "Home & Garden > Furniture" });
    await total(page).getByText(countText(furniture.count), { exact: true }).waitFor();
    await tree.getByLabel("Chairs").check();
    const chairs = await ask({ q: "wooden", categories: "Home & Garden > Furniture > Chairs" });
    expect(chairs.count).toBeLessThan(furniture.count);
    await total(page).getByText(countText(chairs.count), { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.getAll("categories")).toEqual([
      "Home & Garden > Furniture > Chairs",
    ]);
    await page.getByRole("button", { name: "Remove the filter Chairs" }).waitFor();
    expect(await tree.getByLabel("Chairs").isChecked()).toBe(true);
  });

  it("shows variants as one card, with their colours, prices and pages", async () => {
    const { page } = await openWithToken("/?q=mug");
    const { Products } = await ask({ q: "mug", include: "variants" });
    const index = Products.findIndex(({ variants = [] }) => new Set(variants.map(colorOf)).size > 1);
    const product = Products[index];
    const other = product?.variants?.find(({ _id }) => _id !== product._id);
    if (!product || !other) throw new Error("The sample's mugs have no variants.");
    const card = page.locator(cards).nth(index);
    const image = () => card.locator("img").getAttribute("src");
    const first = await image();
    const swatch = card.getByRole("link", { name: colorOf(other), exact: true });
    await swatch.hover();
    await expect.poll(image).not.toBe(first);
    await card.locator(".card-text").hover();
    await expect.poll(image).toBe(first);
    await swatch.click();
    await expect.poll(() => new URL(page.url()).searchParams.get("id")).toBe(other._id);
  });

  it("has two rows of cards in the first view of a laptop, and no name loses its end", async () => {
    const { page } = await open("/nowhere", { token: service.token, width: 1280, height: 800 });
    const chips = "attributes=color:Black&attributes=color:White&rating=1&availability=in_stock";
    const plain = ["shoes", "mug", "desk lamp under 300"];
    const twoLines =
      "runing shoos from 20 to 100 rated above 3 in turquoise velvet with glitter without leather";
    for (const q of [...plain, "runing shoos under 100", "red mug", `shoes&${chips}`, twoLines]) {
      await page.goto(`/?q=${q}`);
      await page.locator(cards).first().waitFor();
      const { bottoms, cut } = await page.locator(cards).evaluateAll((all) => ({
        bottoms: [...new Set(all.map((one) => Math.round(one.getBoundingClientRect().bottom)))],
        cut: all.filter((one) => {
          const name = one.querySelector("h3");
          return name !== null && name.scrollHeight > name.clientHeight + 1;
        }).length,
      }));
      expect(bottoms[1], q).toBeLessThanOrEqual(800);
      if (q === twoLines)
        expect((await page.locator(".results-note").boundingBox())?.height).toBeGreaterThan(40);
      if (plain.includes(q)) expect(cut, q).toBeLessThanOrEqual(2);
    }
  });

  it.each([390, 1280])("keeps the filters and what removes them in one line at %s px", async (width) => {
    const { page } = await openWithToken("/?q=shoes&attributes=color:Black", width);
    await page.locator(cards).first().waitFor();
    const top = () =>
      page
        .locator(cards)
        .first()
        .evaluate((card) => card.getBoundingClientRect().top);
    const withOne = await top();
    await page.goto(
      "/?q=shoes&attributes=color:Black&attributes=color:White&rating=1&min=1&max=900&availability=in_stock",
    );
    await page.locator(cards).first().waitFor();
    expect(await top()).toBe(withOne);
    const box = await page.getByRole("button", { name: "Remove all" }).boundingBox();
    expect((box?.x ?? width) + (box?.width ?? 0)).toBeLessThan(width);
  });

  it("shows dots for known colours, and neither for other colours nor for other attributes", async () => {
    const { page } = await openWithToken("/nowhere");
    const variants = (color: string[], material: string[]) =>
      color.map((value, at) => ({
        _id: String(at).padStart(24, "0"),
        slug: `v${at}`,
        url: "https://shop.example/v",
        price: 10,
        attributes: { color: [value], material: [material[at]] },
      }));
    const groups = [
      variants(["Red", "Café au lait", "White"], ["wool", "wool", "wool"]),
      variants(["Olive", "Olive"], ["linen", "wool"]),
    ];
    await page.route("**/search/catalog?**", async (route) => {
      const response = await route.fetch();
      const found = (await response.json()) as Found;
      for (const [at, group] of groups.entries())
        Object.assign(found.Products[at] ?? {}, { variants: group, variantCount: group.length });
      await route.fulfill({ json: found });
    });
    await page.goto("/?q=mug");
    const options = (at: number) => page.locator(cards).nth(at).getByRole("list", { name: "Variants" });
    await options(1).waitFor();
    expect(await options(0).getByRole("link").allTextContents()).toEqual(["Red", "White"]);
    expect(await options(0).locator(".swatch").count()).toBe(2);
    expect(await options(0).getByText("+1").getAttribute("title")).toBe("Café au lait");
    expect(await options(1).getByRole("link").allTextContents()).toEqual(["linen", "wool"]);
    expect(await options(1).locator(".swatch").count()).toBe(0);
  });

  it("empties the field with its own button, and goes on in the field", async () => {
    const { page } = await openWithToken("/?q=mug");
    await page.getByRole("button", { name: "Clear the search field" }).click();
    expect(await field(page).inputValue()).toBe("");
    await page.keyboard.type("lamp");
    expect(await field(page).inputValue()).toBe("lamp");
  });

  it("keeps to a price range, a rating, an order, and what is in stock", async () => {
    const { page } = await openWithToken("/?q=bag");
    await page.getByRole("textbox", { name: "Lowest price" }).fill("20");
    await page.getByRole("textbox", { name: "Highest price" }).fill("90");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove the filter $20.00 – $90.00" }).waitFor();
    await facet(page, "Rating").getByLabel("★ 4 and above").check();
    await facet(page, "Offer").getByLabel("In stock").check();
    await page.getByLabel("Sort by").selectOption("Price, highest first");
    const query = { q: "bag", priceRange: "[20,90]", minRating: "4", availability: "in_stock" };
    const wanted = await ask({ ...query, sort: "price:relevance", order: "desc" });
    expect(wanted.count).toBeGreaterThan(1);
    await total(page).getByText(countText(wanted.count), { exact: true }).waitFor();
    await expect.poll(() => names(page)).toEqual(wanted.Products.map(({ name }) => name));
    await page.getByRole("button", { name: "Remove all" }).click();
    await expect.poll(() => page.locator(".active-filters button").count()).toBe(0);
  });

  it("says what is wrong with a price instead of asking for it", async () => {
    const { page } = await openWithToken("/?q=mug&min=50&max=10");
    await page.getByRole("heading", { name: "The price range is not valid" }).waitFor();
    await page.getByRole("button", { name: "Remove the price range" }).click();
    await page.locator(cards).first().waitFor();
    await page.getByRole("textbox", { name: "Lowest price" }).fill("abc");
    await page.getByText("Enter a number").waitFor();
  });

  it("says what it understood, and searches the words as text instead", async () => {
    const q = "shoes under 80 not black";
    const { page } = await openWithToken(`/?q=${q}`);
    await page.getByText("Understood as: Up to $80.00, without black").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("All words are searched as text.").waitFor();
    const wanted = await ask({ q, literal: "true" });
    await total(page).getByText(countText(wanted.count), { exact: true }).waitFor();
    await page.getByRole("button", { name: "Read filters from them" }).click();
    await page.getByText("Understood as:").waitFor();
  });

  it("turns pages, and Back restores page, filters and words", async () => {
    const { page } = await openWithToken("/?q=shoes");
    await page.locator(cards).first().waitFor();
    const first = await names(page);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByText("Page 2 of").waitFor();
    const topOfResults = () => total(page).evaluate((element) => element.getBoundingClientRect().top);
    expect(await topOfResults()).toBeLessThan(200);
    expect(await topOfResults()).toBeGreaterThan(0);
    const second = (await ask({ q: "shoes", page: "2" })).Products.map(({ name }) => name);
    await expect.poll(() => names(page)).toEqual(second);
    expect(page.url()).toContain("page=2");
    await page.getByRole("link", { name: "Previous page" }).click();
    await expect.poll(() => names(page)).toEqual(first);
    expect(await topOfResults()).toBeLessThan(200);
    await page.goBack();
    await page.getByText("Page 2 of").waitFor();
    await facet(page, "Rating").getByRole("checkbox").first().check();
    await expect.poll(() => page.url()).not.toContain("page=");
    await field(page).fill("lamp");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toContain("q=lamp");
    for (let steps = 0; steps < 2; steps++) await page.goBack();
    await page.getByText("Page 2 of").waitFor();
    await expect.poll(() => names(page)).toEqual(second);
    expect(await facet(page, "Rating").getByRole("checkbox", { checked: true }).count()).toBe(0);
    await page.goBack();
    await expect.poll(() => names(page)).toEqual(first);
    expect(await field(page).inputValue()).toBe("shoes");
  });

  it("is at the same place again when one comes back from a product", async () => {
    const { page } = await openWithToken("/?q=shoes");
    const card = page.locator(cards).nth(18);
    await card.scrollIntoViewIfNeeded();
    const scrolled = await page.evaluate(() => scrollY);
    expect(scrolled).toBeGreaterThan(500);
    await card.locator("h3 a").click();
    await page.getByRole("heading", { level: 1, name: /shoes|boots/i }).waitFor();
    await page.goBack();
    await card.waitFor();
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(scrolled - 50);
  });

  it("opens the filters over the page on a phone", async () => {
    const { page } = await openWithToken("/?q=shoes", 390);
    await page.locator(cards).first().waitFor();
    expect(await page.locator("fieldset.facet").count()).toBe(0);
    await page.getByRole("button", { name: "Filters", exact: true }).click();
    const sheet = page.getByRole("dialog", { name: "Filters" });
    const { facets } = await ask({ q: "shoes" });
    const [brand] = facets.brands;
    await sheet.getByLabel(brand?.value ?? "").check();
    await sheet.getByRole("button", { name: `Show ${countText(brand?.count ?? 0)}` }).click();
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Filters (1)" }).click();
    await sheet.getByRole("button", { name: "Close the filters" }).click();
    await sheet.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Filters (1)" }).click();
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "detached" });
  });

  it("helps on when nothing is found", async () => {
    const { page } = await openWithToken("/?q=mug&min=900000&brands=Nobody");
    await page.getByRole("heading", { name: "Nothing found for “mug”" }).waitFor();
    await page.getByRole("button", { name: "Remove all filters" }).click();
    await page.locator(cards).first().waitFor();
    await page.goto("/?q=red+xqzxq");
    await page.getByText("Use fewer or different words.").waitFor();
  });

  it("says when a reduction counts where no product has the discount", async () => {
    const { page } = await openWithToken("/?q=mug&discount=99");
    await page.getByText("A reduction counts once the price is below the lowest one recorded here").waitFor();
  });

  it("says what it corrected", async () => {
    const { page } = await openWithToken("/?q=rnning+shose");
    await page.getByText("Results for “running shoe”.").waitFor();
  });

  it("goes as far as the service does in ten thousand results and more", async () => {
    const { page } = await openWithToken("/nowhere");
    await page.route("**/search/catalog?**", async (route) => {
      const response = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/page=\d+/, "page=1"),
      });
      const found = (await response.json()) as object;
      await route.fulfill({ json: { ...found, count: 1_234_567, hasMore: true } });
    });
    await page.goto("/?q=shoes&page=333");
    await total(page).getByText("1,234,567 products").waitFor();
    await page.getByText("Page 333 of 333").waitFor();
    expect(await page.getByRole("link", { name: "Next page" }).count()).toBe(0);
    await page.goto("/?q=shoes&page=334");
    await page.getByText("Page 1 of 333").waitFor();
  });

  it("starts with examples that this catalog answers", async () => {
    const { page } = await openWithToken("/nowhere");
    await page.route("**/search/suggestions?**", (route) =>
      route.fulfill({
        json: {
          status: "success",
          queries: ["zither", "walnut zither"],
          brands: [],
          categories: [],
          Products: [],
        },
      }),
    );
    await page.goto("/");
    await page.getByRole("button", { name: "walnut zither" }).waitFor();
    expect(await field(page).getAttribute("placeholder")).toBe("walnut zither");
    await page.unroute("**/search/suggestions?**");
    await page.reload();
    const examples = page.getByRole("region", { name: "Examples" }).getByRole("button");
    await examples.first().waitFor();
    for (const q of await examples.allTextContents()) expect((await ask({ q })).count, q).toBeGreaterThan(0);
  });

  it("starts with the categories", async () => {
    const { page } = await openWithToken("/");
    const { facets } = await ask({ minRating: "0" });
    const [category] = facets.categories;
    await page.getByRole("button", { name: `${category?.value} ${category?.count}` }).click();
    await total(page)
      .getByText(countText(category?.count ?? 0), { exact: true })
      .waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Categories" }).waitFor();
  });

  it("has an image in the tile of each category, and no tile for a number of a taxonomy", async () => {
    const { page } = await openWithToken("/nowhere");
    const { facets } = await ask({ minRating: "0" });
    const categories = facets.categories.slice(0, 6);
    await page.route("**/search/catalog?**", async (route) => {
      if (!route.request().url().includes("minRating=0")) return route.continue();
      const found = (await (await route.fetch()).json()) as Found;
      found.facets.categories = [{ value: "187", count: 900 }, ...categories];
      // None of the best products is in any of them.
      await route.fulfill({ json: { ...found, Products: [] } });
    });
    await page.goto("/");
    const list = page.locator("ul.categories");
    await expect.poll(() => list.getByRole("img").or(list.locator("img")).count()).toBe(categories.length);
    const texts = await list.getByRole("button").allTextContents();
    expect(texts).toEqual(categories.map(({ value, count }) => `${value} ${count}`));
    const examples = page.getByRole("region", { name: "Examples" }).getByRole("button");
    await expect.poll(() => examples.count()).toBeGreaterThan(3);
    expect(await examples.allTextContents()).not.toContain("187");
    expect(await field(page).getAttribute("placeholder")).not.toBe("187");
    // Six tiles take the whole room of the list.
    const isFilled = await list.evaluate((ul) => {
      const last = ul.lastElementChild?.getBoundingClientRect().bottom ?? 0;
      return Math.abs(ul.getBoundingClientRect().bottom - last) < 1;
    });
    expect(isFilled).toBe(true);
  });

  it("shows one of two categories with the same products, and suggestions as the service spells them", async () => {
    const { page } = await openWithToken("/nowhere");
    await page.route("**/search/catalog?**", async (route) => {
      const url = route.request().url();
      const found = (await (await route.fetch()).json()) as Found;
      if (url.includes("minRating=0")) {
        found.facets.categories = ["Trail Bags", "Bags", "Mugs"].map((value) => ({ value, count: 16 }));
      }
      await route.fulfill({ json: { ...found, count: 16 } });
    });
    await page.route("**/search/suggestions?**", (route) => {
      const queries = ["kühltasche profi"];
      return route.fulfill({
        json: { status: "success", queries, brands: [], categories: [], Products: [] },
      });
    });
    await page.goto("/");
    await page.getByRole("button", { name: "kühltasche profi" }).waitFor();
    const texts = await page.locator("ul.categories").getByRole("button").allTextContents();
    expect(texts).toEqual(["Bags 16", "Mugs 16"]);
    await field(page).fill("kuhl");
    await page.getByRole("option", { name: "kühltasche profi", exact: true }).waitFor();
  });
});
