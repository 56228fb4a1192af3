import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { cards, describeInBrowser, service } from "./in-browser.ts";
import { startRelay } from "./relay.ts";

/** What makes a screen ask the service for something, where opening it does not. */
const asking: Record<string, (page: Page) => Promise<void>> = {
  "/ask": async (page) => {
    await page.getByLabel("Your question").fill("mug");
    await page.keyboard.press("Enter");
  },
  "/picture": (page) =>
    page
      .getByLabel("Image file")
      .setInputFiles({ name: "it.jpg", mimeType: "image/jpeg", buffer: Buffer.from("any") }),
};

describeInBrowser("the console when things go wrong", (open) => {
  it.each(["/ask", "/marketplaces?q=mug", "/webhooks"])(
    "%s says that the token does not hold",
    async (path) => {
      const { page } = await open(path, { token: `pss_${"x".repeat(36)}` });
      if (path === "/ask") {
        await page.getByLabel("Your question").fill("mug");
        await page.keyboard.press("Enter");
      }
      await page.getByRole("heading", { name: "A valid token is required" }).first().waitFor();
    },
  );

  it("counts down when there were too many requests", async () => {
    const { page } = await open("/");
    await page.route("**/search/trial?**", (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "3" },
        json: {
          status: "error",
          message: "More than 120 requests in 60 seconds.",
          code: "rate_limited",
          requestId: "r1",
        },
      }),
    );
    await page.getByRole("searchbox").fill("mug");
    await page.getByRole("button", { name: /Try again in [123] s/ }).waitFor();
    await page.unroute("**/search/trial?**");
    await page.getByRole("button", { name: "Try again", exact: true }).click();
    await page.locator(cards).first().waitFor();
  });

  it.each([
    "/?q=mug",
    "/product?id=x",
    "/ask",
    "/picture",
    "/marketplaces?q=mug",
    "/merchandising",
    "/webhooks",
  ])("%s counts down too, and tries again when that is over", async (path) => {
    const { page } = await open("/nowhere", { token: service.token });
    await page.route("**/api/v1/**", (route) =>
      route.fulfill({
        status: 429,
        headers: { "retry-after": "2" },
        json: { status: "error", message: "Too many.", code: "rate_limited", requestId: "r1" },
      }),
    );
    await page.goto(path);
    await asking[path]?.(page);
    const button = page.getByRole("button", { name: /^Try again/ }).first();
    await expect.poll(() => button.textContent()).toMatch(/in [12] s/);
    expect(await button.isDisabled()).toBe(true);
    await page.unroute("**/api/v1/**");
    await button.click();
    await page.getByRole("heading", { name: "Too many requests" }).waitFor({ state: "detached" });
  });

  it("says so when the service was stopped, and goes on when one can ask again", async () => {
    const relay = await startRelay(service.url);
    const { page } = await open(`${relay.url}/?q=mug`);
    await page.locator(cards).first().waitFor();
    await relay.stop();
    await page.getByRole("searchbox").fill("watch");
    await page.getByRole("heading", { name: "The service cannot be reached" }).waitFor();
    await page.route("**/search/trial?**", async (route) => {
      const { search } = new URL(route.request().url());
      await route.fulfill({
        response: await page.request.get(`${service.url}/api/v1/search/trial${search}`),
      });
    });
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(cards, { hasText: /watch/i }).first().waitFor();
  });

  it("shows hostile responses, addresses and receivers as text", async () => {
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const { page, complaints } = await open("/nowhere", { token: service.token });
    const top = {
      _id: hostile,
      slug: hostile,
      url: "javascript:window.hacked=1",
      name: hostile,
      brand: hostile,
      storeName: hostile,
      price: 1,
      averageRating: 1,
    };
    const data = {
      query: hostile,
      aiResponse: hostile,
      description: hostile,
      suggestions: [hostile],
      otherOptions: { relatedSearches: [hostile], filters: [hostile], categories: [] },
      productCount: 1,
      topProducts: [top],
    };
    const event = JSON.stringify({ type: "done", status: "success", data });
    await page.route("**/deep-search", (route) =>
      route.fulfill({ contentType: "text/event-stream", body: `event: done\ndata: ${event}\n\n` }),
    );
    const webhook = { id: "wh_1", webhookUrl: "javascript:window.hacked=1", webhookType: hostile };
    const attempt = { attemptedAt: "2026-01-01T00:00:00Z", durationMs: 1, responseStatus: 500 };
    const delivery = { id: "dl_1", eventId: "e", webhookType: hostile, status: "failed", test: false };
    await page.route("**/api/v1/webhooks**", (route) =>
      route.fulfill({
        json: {
          success: true,
          message: hostile,
          data: route.request().url().includes("deliveries")
            ? [
                {
                  ...delivery,
                  createdAt: 0,
                  attempts: [{ ...attempt, responseBody: hostile, error: hostile }],
                },
              ]
            : [{ ...webhook, createdAt: 0, disabledAt: null }],
        },
      }),
    );
    await page.goto("/ask");
    await asking["/ask"]?.(page);
    await page.locator(".answer-text").getByText(hostile).waitFor();
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: "Deliveries" }).click();
    await page.getByText("1 attempt").click();
    await page.locator(".attempts pre").getByText(hostile).waitFor();
    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("shows that it waits when the service is slow, then the response", async () => {
    const { page } = await open("/");
    await page.route("**/search/trial?**", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      await route.continue();
    });
    await page.getByRole("searchbox").fill("mug");
    await page.getByRole("status", { name: "Loading" }).waitFor();
    await page.locator(cards).first().waitFor();
  });

  it("tries again by itself when the connection is back", async () => {
    const { page } = await open("/");
    await page.context().setOffline(true);
    await page.getByRole("searchbox").fill("mug");
    await page.getByRole("heading", { name: "The service cannot be reached" }).waitFor();
    await page.context().setOffline(false);
    await page.locator(cards).first().waitFor();
  });

  it("keeps the way to the other screens when one does not arrive", async () => {
    const { page } = await open("/", { token: service.token });
    await page.route("**/assets/webhooks-*.js", (route) => route.abort());
    await page.getByRole("link", { name: "Webhooks", exact: true }).click();
    await page.getByRole("heading", { name: "The page could not be loaded" }).waitFor();
    await page.getByRole("link", { name: "Ask", exact: true }).click();
    await page.getByLabel("Your question").waitFor();
  });

  it.each(["/ask", "/marketplaces", "/picture", "/insights", "/merchandising", "/webhooks"])(
    "%s asks for a token first",
    async (path) => {
      const { page } = await open(path);
      await page.getByRole("button", { name: "Set a token" }).click();
      await page.getByLabel("Access token").fill(service.token);
      await page.keyboard.press("Enter");
      await page.getByText("Token set").waitFor();
      await page.getByRole("button", { name: "Set a token" }).waitFor({ state: "detached" });
    },
  );

  it("says that the service cannot be reached, and that one is offline", async () => {
    const { page } = await open("/");
    await page.route("**/search/trial?**", (route) => route.abort());
    await page.getByRole("searchbox").fill("mug");
    await page.getByRole("heading", { name: "The service cannot be reached" }).waitFor();
    await page.context().setOffline(true);
    await page.getByText("You are offline.").waitFor();
  });

  it("shows hostile names as text and links nowhere else than to the web", async () => {
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    const { page, complaints } = await open("/", { token: service.token });
    const product = {
      _id: "p1",
      name: hostile,
      brand: hostile,
      storeName: hostile,
      slug: '"><script>',
      price: 1,
      isVerified: false,
      isBoosted: false,
      images: ["javascript:window.hacked=1"],
      url: "javascript:window.hacked=1",
      priceHistory: [],
      discountVal: 0,
    };
    await page.route("**/search/trial?**", (route) =>
      route.fulfill({ json: { status: "success", Products: [product] } }),
    );
    await page.route("**/search/catalog?**", (route) =>
      route.fulfill({
        json: {
          status: "success",
          Products: [product],
          count: 1,
          hasMore: false,
          page: 1,
          limit: 24,
          correctedQuery: hostile,
          understood: { without: [hostile] },
          facets: { brands: [{ value: hostile, count: 1 }] },
        },
      }),
    );
    await page.route("**/search/suggestions?**", (route) =>
      route.fulfill({
        json: { status: "success", queries: [hostile], brands: [], categories: [], Products: [product] },
      }),
    );
    await page.getByRole("combobox").fill("mug");
    await page.getByRole("option", { name: "window.hacked=1" }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("window.hacked=1", { exact: false }).first().waitFor();
    await page.route("**/products/**", (route) =>
      route.fulfill({ json: { status: "success", product, availability: "in_stock", priceHistory: [] } }),
    );
    await page.locator("article.card h3 a").first().click();
    await page.locator(".product-detail h1", { hasText: "window.hacked=1" }).waitFor();
    await page.route("**/search/marketplace-a?**", (route) =>
      route.fulfill({
        json: {
          status: "success",
          Products: [
            {
              ...product,
              originalPrice: 1,
              source: "marketplace-a",
              description: hostile,
              availability: hostile,
              position: 1,
              itemCode: "x",
            },
          ],
          hasMore: false,
          count: 1,
          storeBrandMatch: [],
          source: "marketplace-a",
          secondhand: false,
          page: 1,
          limit: 24,
        },
      }),
    );
    await page.goto("/marketplaces?q=x");
    await page.locator("article.card").first().waitFor();
    expect(await page.locator("a[href^='javascript']").count()).toBe(0);
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(complaints).toEqual([]);
  });

  it("a long brand name without a place to break is no wider than the page", async () => {
    const name = "W".repeat(200);
    const { page } = await open(`/brands/${name}`, { width: 400 });
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBe(0);
  });
});
