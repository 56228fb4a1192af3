import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { layoutShift } from "./browser.ts";
import { describeInBrowser, findProduct, service } from "./in-browser.ts";

const widths = [360, 1280];
const slowly = (page: Page) =>
  page.route("**/api/v1/**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    await route.continue();
  });

describeInBrowser("nothing that is in sight moves when a slow response comes", (open) => {
  it.each([
    ["/", ".examples button"],
    ["/marketplaces", ".examples button"],
    ["/?q=mug", ".results article.card"],
    ["/?q=mug under 60 not blue&rating=3&availability=in_stock", ".results article.card"],
    ["/?q=shoes&attributes=color:Black&categories=Shoes", ".results article.card"],
    ["/?q=mug&min=900000", ".results .notice"],
    ["/?q=mug&page=2", ".results article.card"],
    ["/brands/Nobody", ".notice"],
    ["/products/none-such", ".notice"],
    ["a product", "section[aria-labelledby=similar] article.card h3"],
    ["/marketplaces?q=mug", ".results article.card"],
    ["/marketplaces?q=qqqxxxzzz", ".results .notice"],
    ["/insights", ".search-chart, .notice"],
    ["/merchandising", ".notice"],
    ["/merchandising?tab=synonyms", ".synonyms li"],
    ["/webhooks", ".webhook-card"],
  ])("%s", async (what, sign) => {
    const path = what === "a product" ? await productPath() : what;
    if (path === "/webhooks") await createWebhooks(3);
    const looks = widths.map(async (width) => {
      const { page } = await open("/nowhere", { token: service.token, width });
      await slowly(page);
      await page.goto(path);
      await page.locator(sign).first().waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });

  it.each(["an image", "no image at all"])("/picture with %s", async (kind) => {
    const { images } = await findProduct("mug");
    const image = Buffer.from(await (await fetch(images[0] ?? "")).arrayBuffer());
    const looks = widths.map(async (width) => {
      const { page } = await open("/picture", { token: service.token, width });
      await slowly(page);
      const buffer = kind === "an image" ? image : Buffer.from("none");
      await page.getByLabel("Image file").setInputFiles({ name: "it.jpg", mimeType: "image/jpeg", buffer });
      const sign = kind === "an image" ? "article.card h3" : ".notice.error";
      await page.locator(sign).first().waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });

  it("/ask, when a response comes", async () => {
    const looks = widths.map(async (width) => {
      const { page } = await open("/ask", { token: service.token, width });
      await slowly(page);
      await page.getByLabel("Your question").fill("running shoes under 100");
      await page.keyboard.press("Enter");
      await page.getByText("Interpreted as").waitFor();
      expect(await layoutShift(page), `${width} px`).toBeLessThan(0.0005);
    });
    await Promise.all(looks);
  });
});

async function productPath(): Promise<string> {
  const { slug, _id } = await findProduct("mug");
  return `/products/${slug}?id=${_id}`;
}

async function createWebhooks(count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const response = await fetch(`${service.url}/api/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify({ webhookUrl: `https://example.com/${index}`, webhookType: "stock.alert" }),
    });
    expect(response.status).toBe(201);
  }
}
