import { setImmediate } from "node:timers/promises";
import { storedProduct } from "@product-search/testing/naive-catalog.ts";
import Fastify, { type FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";
import type { Config } from "../../config.ts";
import { registerCrawlerPages } from "./crawler-pages.ts";

let app: FastifyInstance;
afterEach(() => app.close());

/** Row ids 1 to `rows` without the removed ones. */
async function start({
  rows = 0,
  size = 1000,
  removed = [] as number[],
  agentAccess = "token" as Config["agentAccess"],
} = {}) {
  app = Fastify();
  const pages = Array.from({ length: rows }, (_, index) =>
    storedProduct(index + 1, { slug: `a&b ${index + 1}` }),
  );
  const left = pages.filter(({ rowId }) => !removed.includes(rowId));
  const content = {
    findProduct: async () => undefined,
    findBrandProducts: async () => [],
    readImage: async () => undefined,
    listPages: async (after: number, limit: number) =>
      left.filter(({ rowId }) => rowId > after).slice(0, limit),
    lastRowId: async () => left.at(-1)?.rowId ?? 0,
  };
  registerCrawlerPages(
    app,
    content,
    { publicUrl: "https://shop.example", agentAccess },
    { countPage() {} },
    size,
  );
}

const get = (url: string) => app.inject(url);
const addresses = (xml: string) => [...xml.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url]) => url);

describe("/sitemap.xml", () => {
  it("lists the page of every product with the time of its last change", async () => {
    await start({ rows: 700, removed: [3] });
    const { body, headers } = await get("/sitemap.xml");
    expect(headers["content-type"]).toBe("application/xml; charset=utf-8");
    expect(body).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www.sitemaps.org/,
    );
    expect(addresses(body)).toHaveLength(699);
    expect(addresses(body)[0]).toBe("https://shop.example/products/a%26b%201");
    expect(body).toContain("<lastmod>2026-11-01T00:00:00.000Z</lastmod>");
    expect(body.endsWith("</urlset>\n")).toBe(true);
  });

  it("is an index where there are more products than a sitemap may have", async () => {
    await start({ rows: 25, size: 10, removed: [11, 12] });
    const { body } = await get("/sitemap.xml");
    expect(body).toContain("<sitemapindex");
    expect(addresses(body)).toEqual([1, 2, 3].map((number) => `https://shop.example/sitemaps/${number}.xml`));
    const counts: number[] = [];
    for (const url of addresses(body)) {
      const { pathname } = new URL(url ?? "");
      counts.push(addresses((await get(pathname)).body).length);
    }
    expect(counts).toEqual([10, 8, 5]);
    for (const url of ["/sitemaps/4.xml", "/sitemaps/0.xml", "/sitemaps/01.xml", "/sitemaps/x.xml"])
      expect((await get(url)).statusCode, url).toBe(404);
  });

  it("of an empty catalog lists nothing", async () => {
    await start();
    expect(addresses((await get("/sitemap.xml")).body)).toEqual([]);
  });

  it("writes few at once, and frees their places, also those of HEAD requests", async () => {
    await start({ rows: 600 });
    const received = await Promise.all(Array.from({ length: 6 }, () => get("/sitemap.xml")));
    expect(received.map(({ statusCode }) => statusCode).sort()).toEqual([200, 200, 200, 200, 503, 503]);
    await setImmediate();
    for (let count = 0; count < 6; count++)
      expect((await app.inject({ method: "HEAD", url: "/sitemap.xml" })).statusCode).toBe(200);
    expect((await get("/sitemap.xml")).statusCode).toBe(200);
  });
});

it("robots.txt names the sitemap and keeps crawlers from the API", async () => {
  await start();
  const { body } = await get("/robots.txt");
  expect(body).toContain("Disallow: /api/v1/\n");
  expect(body).toContain("Sitemap: https://shop.example/sitemap.xml\n");
});

it("llms.txt is Markdown that names what there is to read", async () => {
  await start();
  const { body } = await get("/llms.txt");
  expect(body).toMatch(/^# Product search\n\n> /);
  expect(body).toContain("(https://shop.example/openapi.json)");
  expect(body).toContain("POST https://shop.example/mcp");
  await app.close();
  await start({ agentAccess: "off" });
  const { body: without } = await get("/llms.txt");
  expect(without).not.toContain("mcp");
  expect(without).toContain("(https://shop.example/openapi.json)");
});
