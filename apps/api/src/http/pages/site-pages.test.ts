import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";
import { sampleProductInputs } from "../../compose/sample-products.ts";

let service: TestService;
beforeAll(async () => {
  service = await createTestService();
  await loadSample(service.stores, sampleProductInputs(60, { currency: "USD", nowMs: Date.now() }));
  await service.indexed();
});
afterAll(() => service.close());

const path = (address: string | undefined) => (address ?? "").replace("http://service.test", "");

describe("the URLs in responses work", () => {
  test("images, product pages and brand pages of the sample catalog", async () => {
    const search = await service.app.inject("/api/v1/search/trial?q=running%20shoes");
    const [product] = search.json().Products;
    expect(product.images[0]).toMatch(/^http:\/\/service\.test\/images\/sample\/\d+-1\.jpg$/);

    const image = await service.app.inject(path(product.images[0]));
    expect(image.statusCode).toBe(200);
    expect(image.headers["content-type"]).toBe("image/jpeg");
    expect(image.rawPayload.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));

    const page = await service.app.inject(path(product.url));
    expect(page.statusCode).toBe(200);
    // A plain page here. The console's page is tested in `console-pages.test.ts` and in the browser.
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");

    const brand = await service.app.inject(`/brands/${encodeURIComponent(product.brand)}`);
    expect(brand.statusCode).toBe(200);
    expect(brand.headers["content-type"]).toBe("text/html; charset=utf-8");
  });

  test("product pages of the marketplaces", async () => {
    const page = await service.app.inject("/products/A0000001");
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("<article>");
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'");
  });

  test("the sitemap lists the product pages, which say in their first HTML what they show", async () => {
    const [product] = (await service.app.inject("/api/v1/search/trial?q=running%20shoes")).json().Products;
    const sitemap = await service.app.inject("/sitemap.xml");
    expect(sitemap.body).toContain(`<loc>${product.url}</loc>`);
    expect(sitemap.body.match(/<loc>/g)).toHaveLength(60);
    const { body } = await service.app.inject(path(product.url));
    expect(body.slice(0, 2000)).toContain(`<title>${product.name} · `);
    expect(body).toContain('"@type":"Product"');
    const brand = await service.app.inject(`/brands/${encodeURIComponent(product.brand.toUpperCase())}`);
    expect(brand.body).toContain(`<title>${product.brand}</title>`);
  });

  test.each(["/images/sample/9999-1.jpg", "/images/", "/products/none", "/brands/none"])(
    "%s is 404",
    async (url) => {
      expect((await service.app.inject(url)).json()).toMatchObject({ code: "not_found" });
    },
  );
});
