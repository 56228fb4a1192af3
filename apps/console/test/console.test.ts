import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { chromiumPath, findAccessibilityFaults, type Look, launch, openPage } from "./browser.ts";

let browser: Browser;
const service = inject("service");
let receiver: Server;
let receiverUrl: string;

describe.runIf(chromiumPath)("the console", () => {
  beforeAll(async () => {
    browser = await launch();
    receiver = createServer((_request, response) => response.end("received"));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  });
  afterAll(async () => {
    await browser?.close();
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

    it("says what is wrong with a price instead of asking for it", async () => {
      const { page } = await open("/?q=mug&min=50&max=10");
      await page.getByText("The lowest price is above the highest.").waitFor();
      await page.getByRole("textbox", { name: "Lowest price" }).fill("abc");
      await page.getByText("A price is a number").waitFor();
      await page.getByRole("textbox", { name: "Lowest price" }).fill("5");
      await page.locator(cards).first().waitFor();
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
      await turn.locator(".top-products a").first().waitFor();
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

    it("can be taken with the camera", async () => {
      const { page, complaints } = await open("/picture", { token: service.token });
      await page.getByRole("button", { name: "Take one" }).click();
      const dialog = page.getByRole("dialog", { name: "Take a picture" });
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Take it" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("heading", { name: "Your picture" }).waitFor();
      await page.locator(".picture-with-boxes img").waitFor();
      expect(complaints).toEqual([]);
    });

    it("cannot be taken where there is no camera, and that is said", async () => {
      const { page } = await open("/picture", { token: service.token });
      await page.evaluate(() => {
        navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("none", "NotFoundError"));
      });
      await page.getByRole("button", { name: "Take one" }).click();
      await page.getByText("No camera was found on this device.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

    it("that are none are refused in words", async () => {
      const { page } = await open("/picture", { token: service.token });
      await page
        .getByLabel("Picture file")
        .setInputFiles({ name: "text.jpg", mimeType: "image/jpeg", buffer: Buffer.from("no picture") });
      await page.getByRole("heading", { name: "That is not a picture we can read" }).first().waitFor();
    });
  });
});
