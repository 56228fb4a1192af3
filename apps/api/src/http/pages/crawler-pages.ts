import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { productPageUrl } from "@product-search/core/domain/urls.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import { basePath } from "@product-search/http-rules/documents.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { Config } from "../../config.ts";
import { countPages, type Guard } from "../access/guard.ts";
import { escapeHtml } from "./page-head.ts";

/** The limit of sitemaps.org for one file. */
const pagesOfSitemap = 50_000;
/** Read in a millisecond: requests of others run in between. */
const pagesAtOnce = 500;
/** Each keeps its thread busy for a fifth of a second in all. */
const maxSitemapsAtOnce = 4;

/**
 * What crawlers and agents ask for first. A sitemap has a range of row ids, so its address and its pages stay the same
 * while the catalog grows.
 */
export function registerCrawlerPages(
  app: FastifyInstance,
  content: SiteContent,
  { publicUrl, agentAccess }: Pick<Config, "publicUrl" | "agentAccess">,
  guard: Pick<Guard, "countPage">,
  /** Smaller, for tests. */
  sitemapSize = pagesOfSitemap,
): void {
  const onRequest = countPages(guard);
  let running = 0;

  /** The pages of one range of row ids. Row ids of removed products are not used again, so it may have fewer. */
  const sendSitemap = (reply: FastifyReply, number: number): FastifyReply => {
    if (running >= maxSitemapsAtOnce) {
      throw new ApiError("unavailable", "Other sitemaps are being written. Try again shortly.", {
        retryAfterSeconds: 1,
      });
    }
    running += 1;
    const range = { after: (number - 1) * sitemapSize, last: number * sitemapSize };
    const stream = Readable.from(urlSet(content, range, publicUrl));
    stream.once("close", () => {
      running -= 1;
    });
    // A response to HEAD ends at once, and would have the sitemap written for nobody.
    reply.raw.once("close", () => stream.destroy());
    return sendXml(reply, stream);
  };

  app.get("/robots.txt", { onRequest }, async (_request, reply) => sendText(reply, robots(publicUrl)));
  app.get("/llms.txt", { onRequest }, async (_request, reply) =>
    sendText(reply, guide(publicUrl, agentAccess)),
  );
  app.get("/sitemap.xml", { onRequest }, async (_request, reply) => {
    const sitemaps = Math.ceil((await content.lastRowId()) / sitemapSize);
    return sitemaps > 1 ? sendXml(reply, sitemapIndex(sitemaps, publicUrl)) : sendSitemap(reply, 1);
  });
  app.get<{ Params: { number: string } }>(
    "/sitemaps/:number(^[1-9]\\d{0,5}).xml",
    { onRequest },
    async (request, reply) => {
      const number = Number(request.params.number);
      if ((number - 1) * sitemapSize >= (await content.lastRowId())) return reply.callNotFound();
      return sendSitemap(reply, number);
    },
  );
}

async function* urlSet(
  content: SiteContent,
  { after, last }: { after: number; last: number },
  publicUrl: string,
): AsyncGenerator<string> {
  yield `${xmlStart}<urlset xmlns="${sitemapNamespace}">\n`;
  for (let rowId = after; ; ) {
    const pages = await content.listPages(rowId, pagesAtOnce);
    const inRange = pages.filter((page) => page.rowId <= last);
    yield inRange.map((page) => urlElement(productPageUrl(page, publicUrl), page.updatedAtMs)).join("");
    const next = inRange.at(-1);
    if (next === undefined || inRange.length < pagesAtOnce) break;
    rowId = next.rowId;
    await setImmediate();
  }
  yield "</urlset>\n";
}

const xmlStart = '<?xml version="1.0" encoding="UTF-8"?>\n';
const sitemapNamespace = "http://www.sitemaps.org/schemas/sitemap/0.9";

function urlElement(url: string, updatedAtMs: number): string {
  return `<url><loc>${escapeHtml(url)}</loc><lastmod>${new Date(updatedAtMs).toISOString()}</lastmod></url>\n`;
}

function sitemapIndex(sitemaps: number, publicUrl: string): string {
  const urls = Array.from({ length: sitemaps }, (_, index) => `${publicUrl}/sitemaps/${index + 1}.xml`);
  const elements = urls.map((url) => `<sitemap><loc>${escapeHtml(url)}</loc></sitemap>\n`);
  return `${xmlStart}<sitemapindex xmlns="${sitemapNamespace}">\n${elements.join("")}</sitemapindex>\n`;
}

/** Pages are for everybody. Crawlers have no token for the API. */
function robots(publicUrl: string): string {
  return `User-agent: *\nDisallow: ${basePath}/\nAllow: /\n\nSitemap: ${publicUrl}/sitemap.xml\n`;
}

/** https://llmstxt.org: what an assistant should read, as Markdown. */
function guide(publicUrl: string, agentAccess: Config["agentAccess"]): string {
  return `# Product search

> Searches a catalog of products by text, by image and by question. Prices and stock are current.

## Products

- [Sitemap](${publicUrl}/sitemap.xml): the page of every product, with the time of its last change
- Product pages (${publicUrl}/products/…) and brand pages (${publicUrl}/brands/…) have schema.org data as JSON-LD

${
  agentAccess === "off"
    ? ""
    : `## Tools

- MCP: POST ${publicUrl}/mcp (Streamable HTTP, no sessions) has tools that search, look up and answer; ${agentAccess === "token" ? "it needs a token" : "no token is needed"}
- [UCP profile](${publicUrl}/.well-known/ucp): the same catalog tools by the Universal Commerce Protocol, over MCP and plain HTTP

`
}## API

- [OpenAPI document](${publicUrl}/openapi.json): all operations, below ${publicUrl}${basePath}
- [API reference](${publicUrl}/docs): the same for people
- Searching without a token: GET ${publicUrl}${basePath}/search/trial?q=mug; everything else needs one
`;
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return sendCached(reply.type("text/plain; charset=utf-8"), text);
}

function sendXml(reply: FastifyReply, content: string | Readable): FastifyReply {
  return sendCached(reply.type("application/xml; charset=utf-8"), content);
}

function sendCached(reply: FastifyReply, content: string | Readable): FastifyReply {
  return reply.header("cache-control", "public, max-age=300").send(content);
}
