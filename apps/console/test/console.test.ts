import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, findAccessibilityFaults, type Look, launch, openPage } from "./browser.ts";
import { type LiveService, startService } from "./service.ts";

let browser: Browser;
let service: LiveService;
let receiver: Server;
let receiverUrl: string;

describe.runIf(chromiumPath)("the console", () => {
  beforeAll(async () => {
    service = await startService();
    browser = await launch();
    receiver = createServer((_request, response) => response.end("received"));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
  });

  const open = async (path: string, look: Look = {}) => {
    const opened = await openPage(browser, service.url, look);
    await opened.page.goto(path);
    return opened;
  };
  const cards = ".results article.card";

  describe("search", () => {
    it("shows results as one types, with picture, price and history", async () => {
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
      const picture = first.locator("img");
      await expect
        .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBeGreaterThan(0);
      expect(await page.locator(".price-chart").count()).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    });

    it("keeps to the price range and the order that is chosen", async () => {
      const { page } = await open("/?q=bag");
      await page.locator(cards).first().waitFor();
      await page.getByRole("textbox", { name: "From" }).fill("20");
      await page.getByRole("textbox", { name: "to", exact: true }).fill("90");
      await page.getByLabel("Sort by").selectOption("price:relevance");
      await page.getByLabel("Order").selectOption("desc");
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

    it("shows the request as curl that works and as client code", async () => {
      const { page } = await open("/?q=desk lamp&min=10");
      await page.locator(cards).first().waitFor();
      await page.getByText("Show the request").click();
      const curl = await page.locator(".developer-panel pre").textContent();
      const address = /^curl '([^']+)'$/.exec(curl ?? "")?.[1] ?? "";
      const answer = (await (await fetch(address)).json()) as { Products: unknown[] };
      expect(answer.Products.length).toBeGreaterThan(0);
      await page.getByRole("radio", { name: "Client" }).check();
      expect(await page.locator(".developer-panel pre").textContent()).toContain(
        'client.searchTrial({"q":"desk lamp","priceRange":[10,1000000]})',
      );
    });

    it("says so when nothing is found", async () => {
      const { page } = await open("/?q=mug&min=900000");
      await page.getByRole("heading", { name: "Nothing found for “mug”" }).waitFor();
    });

    it("opens product and brand pages at the addresses that answers give", async () => {
      const { Products } = (await (await fetch(`${service.url}/api/v1/search/trial?q=watch`)).json()) as {
        Products: { name: string; url: string; brand?: string }[];
      };
      const product = Products[0];
      const { page } = await open(product?.url ?? "");
      await page.getByRole("heading", { level: 1, name: product?.name ?? "" }).waitFor();
      const brand = Products.find((one) => one.brand)?.brand ?? "";
      await page.goto(`${service.url}/brands/${encodeURIComponent(brand)}`);
      await page.getByRole("heading", { level: 1, name: brand }).waitFor();
      await page.locator("article.card").first().waitFor();
    });
  });

  describe("deep search", () => {
    it("answers in words with products beside them, and asks on", async () => {
      const { page, complaints } = await open("/ask", { token: service.token });
      await page.getByRole("searchbox", { name: "Your question" }).fill("running shoes under 100");
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      const turn = page.locator(".turn").first();
      await turn.getByText(/products? match/).waitFor();
      const named = (await turn.locator(".top-products strong").first().textContent()) ?? "";
      expect(await turn.locator(".answer-text").textContent()).toContain(named);
      await turn.locator(".chip").first().click();
      await expect.poll(() => page.locator(".turn").count()).toBe(2);
      expect(complaints).toEqual([]);
    });
  });

  describe("marketplaces", () => {
    it.each(["A", "B"])("%s scrolls to its exact total", async (letter) => {
      const { page } = await open(`/marketplaces?q=chair&from=marketplace-${letter.toLowerCase()}`, {
        token: service.token,
      });
      const status = page.locator(".results > p[role=status]");
      await status.waitFor();
      const total = Number((await status.textContent())?.replace(/\D/g, ""));
      expect(total).toBeGreaterThan(24);
      await expect
        .poll(
          async () => {
            await page.mouse.wheel(0, 4000);
            return page.locator(cards).count();
          },
          { timeout: 20_000 },
        )
        .toBe(total);
      await page.getByText("That is all.").waitFor();
    });
  });

  describe("webhooks", () => {
    it("can be created, tested, replayed, rotated and deleted", async () => {
      const { page, complaints } = await open("/webhooks", { token: service.token });
      await page.getByLabel("Target address").fill(receiverUrl);
      await page.getByRole("button", { name: "Create webhook" }).click();
      const key = page.locator(".key");
      await key.waitFor();
      const firstKey = await key.textContent();
      expect(firstKey).toMatch(/^whsec_/);
      await page.getByRole("button", { name: "I have kept it" }).click();
      expect(await page.content()).not.toContain(firstKey ?? "");

      const card = page.locator(".webhook-card").filter({ hasText: receiverUrl });
      await card.getByRole("button", { name: "Send a test" }).click();
      await card.locator(".tag.succeeded").first().waitFor({ timeout: 20_000 });
      await card.getByText("1 attempt").first().click();
      await card.getByText("received").waitFor();
      await card.getByRole("button", { name: "Replay" }).first().click();
      await expect.poll(() => card.locator(".deliveries > li").count()).toBe(2);

      await card.getByRole("button", { name: "Rotate the key" }).click();
      await key.waitFor();
      expect(await key.textContent()).not.toBe(firstKey);

      await card.getByRole("button", { name: "Delete" }).click();
      await card.getByRole("button", { name: "Really delete" }).click();
      await card.waitFor({ state: "detached" });
      expect(complaints).toEqual([]);
    });

    it("shows why a target is refused", async () => {
      const { page } = await open("/webhooks", { token: service.token });
      await page.getByLabel("Target address").fill("https://10.0.0.1/hook");
      await page.getByRole("button", { name: "Create webhook" }).click();
      await page
        .getByRole("alert")
        .getByText(/webhookUrl/)
        .waitFor();
    });
  });

  describe("pictures", () => {
    it("find the product that they show, whole and by a drawn box", async () => {
      const { Products } = (await (await fetch(`${service.url}/api/v1/search/trial?q=mug`)).json()) as {
        Products: { name: string; images: string[] }[];
      };
      const product = Products[0];
      const bytes = Buffer.from(await (await fetch(product?.images[0] ?? "")).arrayBuffer());
      const { page, complaints } = await open("/picture", { token: service.token });
      await page
        .getByLabel("Picture file")
        .setInputFiles({ name: "mug.jpg", mimeType: "image/jpeg", buffer: bytes });
      await page
        .locator("section[aria-labelledby=similar-title] article.card")
        .first()
        .waitFor({ timeout: 20_000 });
      expect(
        await page.locator("section[aria-labelledby=similar-title] article.card h3").first().textContent(),
      ).toBe(product?.name);

      const frame = await page.locator(".picture-with-boxes").boundingBox();
      if (!frame) throw new Error("The picture has no place on the page.");
      await page.mouse.move(frame.x + 3, frame.y + 3);
      await page.mouse.down();
      await page.mouse.move(frame.x + frame.width - 6, frame.y + frame.height - 6, { steps: 4 });
      await page.mouse.up();
      await page.getByRole("button", { name: "Search with the whole picture" }).waitFor();
      expect(complaints).toEqual([]);
    });

    it("that are none are refused in words", async () => {
      const { page } = await open("/picture", { token: service.token });
      await page
        .getByLabel("Picture file")
        .setInputFiles({ name: "text.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture") });
      await page.getByRole("heading", { name: "That is not a picture we can read" }).first().waitFor();
    });
  });

  describe("when things go wrong", () => {
    it.each(["/ask", "/marketplaces?q=mug", "/webhooks"])(
      "%s says that the token does not hold",
      async (path) => {
        const { page } = await open(path, { token: `pss_${"x".repeat(36)}` });
        if (path === "/ask") {
          await page.getByRole("searchbox", { name: "Your question" }).fill("mug");
          await page.keyboard.press("Enter");
        }
        await page.getByRole("heading", { name: "This needs a valid token" }).first().waitFor();
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

    it("shows that it waits when the service is slow, then the answer", async () => {
      const { page } = await open("/");
      await page.route("**/search/trial?**", async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 800));
        await route.continue();
      });
      await page.getByRole("searchbox").fill("mug");
      await page.getByRole("status", { name: "Loading" }).waitFor();
      await page.locator(cards).first().waitFor();
    });

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
      await page.getByRole("searchbox").fill("mug");
      await page.getByText("window.hacked=1", { exact: false }).first().waitFor();
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
  });

  describe("for everybody", () => {
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
      const shift = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            let total = 0;
            new PerformanceObserver((list) => {
              for (const entry of list.getEntries())
                total += (entry as PerformanceEntry & { value: number }).value;
            }).observe({ type: "layout-shift", buffered: true });
            setTimeout(() => resolve(total), 300);
          }),
      );
      expect(weights.script).toBeGreaterThan(1000);
      expect(weights.script).toBeLessThan(150_000);
      expect(weights.hosts).toEqual([new URL(service.url).host]);
      expect(shift).toBeLessThan(0.05);
    });
  });
});
