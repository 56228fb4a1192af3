import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findAccessibilityIssues } from "./browser.ts";
import { cards, describeInBrowser, findProduct, findProducts, service } from "./in-browser.ts";
import { importProduct, importRows } from "./service.ts";

interface Item {
  _id: string;
  name: string;
  slug: string;
  storeName: string;
  url: string;
  discountVal: number;
  images: string[];
}

async function findOne(path: string): Promise<Item> {
  const headers = { authorization: `Bearer ${service.token}` };
  const response = await fetch(`${service.url}/api/v1${path}`, { headers });
  const { Products } = (await response.json()) as { Products: Item[] };
  const [first] = Products;
  if (!first) throw new Error(`The sample has nothing for ${path}`);
  return first;
}

const pageOf = ({ slug, _id }: Pick<Item, "slug" | "_id">) => `/products/${slug}?id=${_id}`;
const plotText = (page: Page) => page.getByRole("slider").getAttribute("aria-valuetext");

describeInBrowser("a product page", (open) => {
  const openProduct = async (product: Pick<Item, "slug" | "_id" | "name">) => {
    const opened = await open(pageOf(product), { token: service.token });
    await opened.page.getByRole("heading", { level: 1, name: product.name }).waitFor();
    return opened;
  };

  it("shows images, stock, rating, and the discount against the lowest price of 30 days", async () => {
    const product = await findOne("/search/catalog?minDiscount=5&availability=in_stock&count=1");
    expect(product.images.length).toBeGreaterThan(1);
    const { page, complaints } = await openProduct(product);
    const large = page.locator(".gallery > .product-image img");
    expect(await large.getAttribute("src")).toBe(product.images[0]);
    expect(await large.getAttribute("alt")).toBe(product.name);
    await page.getByRole("button", { name: `Image 2 of ${product.images.length}` }).click();
    await expect.poll(() => large.getAttribute("src")).toBe(product.images[1]);
    await page.locator(".stock", { hasText: "In stock" }).waitFor();
    const discount = new RegExp(
      `^−${Math.round(product.discountVal)}% since .+: the lowest price of the 30 days before was \\$\\d`,
    );
    await page.locator(".tag", { hasText: discount }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows each price by keyboard, by pointer, and in a table", async () => {
    const product = await findOne("/search/catalog?minDiscount=5&count=1");
    const { page } = await openProduct(product);
    const rows = page.locator(".price-figure tbody tr");
    await expect.poll(() => rows.count()).toBeGreaterThan(1);
    const table = (await rows.locator("td:last-child").allTextContents()).toReversed();
    const plot = page.getByRole("slider", { name: "Price history" });
    await plot.focus();
    await page.keyboard.press("Home");
    const texts = [await plotText(page)];
    for (let steps = 1; steps < table.length; steps++) {
      await page.keyboard.press("ArrowRight");
      texts.push(await plotText(page));
    }
    expect(texts.map((text) => text?.split(" from ")[0])).toEqual(table);
    await page.keyboard.press("ArrowRight");
    expect(await plotText(page)).toBe(texts.at(-1));
    const bounds = await plot.boundingBox();
    if (!bounds) throw new Error("The chart has no place on the page.");
    await page.mouse.move(bounds.x + 1, bounds.y + 20);
    await expect.poll(() => page.locator(".price-value").textContent()).toBe(texts[0]);
    await page.getByText("Prices as a table").click();
    // Where the page is scrolled to, a button may be half under the bar at the top, and then counts as too small.
    await page.evaluate(() => scrollTo(0, 0));
    expect(await findAccessibilityIssues(page)).toEqual([]);
  });

  it("shows the time that is chosen", async () => {
    const product = await findOne("/search/catalog?minDiscount=5&count=1");
    const openedAtMs = Date.now();
    const { page } = await openProduct(product);
    const first = () => page.locator(".time-ticks span").first().textContent();
    const whole = await first();
    await page.getByRole("radio", { name: "30 days" }).check();
    await expect.poll(first).not.toBe(whole);
    const from = new Intl.DateTimeFormat("en-US", { month: "short", day: "numeric" });
    // Midnight may have passed meanwhile.
    const days = [openedAtMs, Date.now()].map((now) => from.format(now - 30 * 86_400_000));
    expect(days).toContain(await first());
  });

  it("leads to similar products, and from there to theirs", async () => {
    const product = await findOne("/search/catalog?q=mug&count=1");
    const { page } = await openProduct(product);
    const similar = page.locator("section[aria-labelledby=similar] article.card h3");
    await similar.first().waitFor();
    expect(await similar.allTextContents()).not.toContain(product.name);
    const name = (await similar.first().textContent()) ?? "";
    await similar.first().locator("a").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(await similar.count()).toBeLessThanOrEqual(10);
  });

  it("shows what the same orders have, and nothing where there are none", async () => {
    const [first, second, other] = await findProducts("lamp");
    if (!first || !second || !other) throw new Error("The sample has no three lamps.");
    const purchases = (order: number) =>
      [first, second].map(({ _id }) => ({ type: "purchase", productId: _id, orderId: `order ${order}` }));
    const headers = { authorization: `Bearer ${service.token}`, "content-type": "application/json" };
    const body = JSON.stringify({ events: [1, 2, 3].flatMap(purchases) });
    await fetch(`${service.url}/api/v1/events`, { method: "POST", headers, body });
    const related = `${service.url}/api/v1/products/${first._id}/related?kind=boughtTogether`;
    const kind = async () => ((await (await fetch(related, { headers })).json()) as { kind: string }).kind;
    await expect.poll(kind, { timeout: 20_000 }).toBe("boughtTogether");
    const { page } = await openProduct(first);
    const list = page.getByRole("region", { name: "Bought together" });
    await expect.poll(() => list.locator("article.card h3").allTextContents()).toEqual([second.name]);
    await page.goto(pageOf(other));
    await page.locator("section[aria-labelledby=similar] article.card").first().waitFor();
    await page.waitForLoadState("networkidle");
    expect(await list.count()).toBe(0);
  });

  it("of a marketplace has a history, its shop, and products of its category", async () => {
    const item = await findOne("/search/marketplace-a?q=mug&count=1");
    const { page, complaints } = await open("/marketplaces?q=mug", { token: service.token });
    await page.getByRole("link", { name: "Price history and alerts" }).first().click();
    await page.getByRole("heading", { level: 1, name: item.name }).waitFor();
    const shop = page.getByRole("link", { name: `View at ${item.storeName}` });
    expect(await shop.getAttribute("href")).toBe(item.url);
    expect(await shop.getAttribute("rel")).toContain("noopener");
    await page.getByRole("slider", { name: "Price history" }).waitFor();
    await page.locator("section[aria-labelledby=similar] article.card").first().waitFor();
    await page.reload();
    await page.getByRole("heading", { level: 1, name: item.name }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("is complete: category path, former price, description, attributes, and variants to choose from", async () => {
    const row = {
      storeName: "Weft",
      url: "https://shop.example/tunic",
      groupId: "tunic",
      availability: "in_stock",
    };
    const category = "Costumes > Robes > Tunics";
    const tunic = { ...row, category, price: 20, description: "A tunic for the stage." };
    await importRows(service.dataDir, [
      {
        ...tunic,
        _id: "t1",
        name: "Tunic cream M",
        originalPrice: 31,
        attributes: { color: "Cream", size: "M" },
      },
      { ...tunic, _id: "t2", name: "Tunic cream S", attributes: { color: "Cream", size: "S" } },
      {
        ...tunic,
        _id: "t3",
        name: "Tunic rust M",
        attributes: { color: "Rust", size: "M", constructor: "Ada" },
      },
    ]);
    await expect.poll(async () => (await findProducts("tunic")).length).toBe(3);
    const { page, complaints } = await openProduct(await findOne("/search/catalog?q=tunic+cream+m&count=1"));
    await page.locator(".price-line s", { hasText: "$31.00" }).waitFor();
    await page.getByText("Not counted as a discount: no earlier price has been recorded here.").waitFor();
    expect(await page.locator(".description").textContent()).toBe("A tunic for the stage.");
    const path = page.getByRole("navigation", { name: "Category" }).getByRole("link");
    expect(await path.allTextContents()).toEqual(["Costumes", "Robes", "Tunics"]);
    const size = page.getByRole("group", { name: "Size: M" });
    expect(
      await size.getByRole("radio").evaluateAll((all) => all.map((one) => one.parentElement?.textContent)),
    ).toEqual(["S", "M"]);
    expect(await page.locator(".facts").textContent()).toContain("ColorCream");
    await size.getByRole("radio", { name: "M", exact: true }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("heading", { level: 1, name: "Tunic cream S" }).waitFor();
    // Whoever goes through the variants by keyboard stays among them.
    expect(await page.evaluate(() => document.activeElement?.getAttribute("type"))).toBe("radio");
    await page.getByRole("radio", { name: "Rust (not available like this)" }).check();
    await page.getByRole("heading", { level: 1, name: "Tunic rust M" }).waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await page.getByRole("link", { name: "Robes" }).click();
    await page.locator(".results-head", { hasText: "1 product" }).waitFor();
    expect(new URL(page.url()).searchParams.get("categories")).toBe("Costumes > Robes");
    expect(complaints).toEqual([]);
  });

  it("leads to the shop where the product has one", async () => {
    const address = "https://shop.example/zither?x=1";
    await importProduct(service.dataDir, "Walnut zither", 99, address);
    await expect.poll(async () => (await findProduct("zither")).name).toBe("Walnut zither");
    const { page } = await openProduct(await findOne("/search/catalog?q=zither&count=1"));
    await expect.poll(() => page.getByRole("link", { name: /^View at/ }).getAttribute("href")).toBe(address);
  });

  it("opens without a token, with what needs none", async () => {
    const product = await findProduct("watch");
    const { page } = await open(product.url);
    await page.getByRole("heading", { level: 1, name: product.name }).waitFor();
    await page.getByRole("slider", { name: "Price history" }).waitFor();
    await page.getByText("Alerts need a token.").waitFor();
    expect(await page.getByRole("heading", { name: "Similar products" }).count()).toBe(0);
    await page.goto("/product?id=x");
    await page.getByRole("heading", { name: "Sign in to use the page of this product" }).waitFor();
  });

  it("says so when there is no such product", async () => {
    const { page } = await open("/product?id=none-such", { token: service.token });
    await page.getByRole("heading", { name: "This product is not in the catalog" }).waitFor();
  });
});

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
