import type { FastifyInstance, FastifyReply } from "fastify";
import { absoluteAddress } from "../domain/absolute-address.ts";
import { availabilityText } from "../domain/availability.ts";
import { fromMinor } from "../domain/money.ts";
import { type ProductSource, productSources, type StoredProduct } from "../domain/product.ts";
import type { Presentation } from "../domain/to-product.ts";
import type { CatalogStore } from "../ports/catalog-store.ts";
import type { LocalPictures } from "../ports/local-pictures.ts";
import type { TextSearch } from "../ports/text-search.ts";
import { type ConsolePage, registerConsole } from "./console-pages.ts";

/** What the pages that answers link to are made from. */
export interface SiteParts extends Presentation {
  catalogStore: Pick<CatalogStore, "findBySlug" | "findByRowIds">;
  textSearch: Pick<TextSearch, "search">;
  localPictures: LocalPictures;
}

const brandPageProducts = 24;

/**
 * The addresses that answers name must open: pictures, products, brands. The console shows what it can ask the
 * service for; what it cannot, and everything where it is not built, has a plain page.
 */
export function registerSitePages(app: FastifyInstance, site: SiteParts): ConsolePage | undefined {
  const console = registerConsole(app, site);
  app.get("/images/*", async (request, reply) => {
    const [address = ""] = request.url.split("?");
    const picture = await site.localPictures.read(address);
    if (picture === undefined) return reply.callNotFound();
    return reply
      .type("image/jpeg")
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("access-control-allow-origin", "*")
      .send(picture);
  });

  app.get<{ Params: { slug: string } }>("/products/:slug", async (request, reply) => {
    const product = await findInAnySource(site, request.params.slug);
    if (product === undefined) return reply.callNotFound();
    if (console && product.source === "catalog") return console.send(request, reply);
    return sendPage(reply, product.name, productPart(product, site));
  });

  app.get<{ Params: { name: string } }>("/brands/:name", async (request, reply) => {
    const { name } = request.params;
    const query = {
      text: "",
      filters: { brands: [name] },
      sort: "relevance",
      order: "desc",
      offset: 0,
    } as const;
    const { rowIds } = await site.textSearch.search({ ...query, limit: brandPageProducts }, request.signal);
    if (rowIds.length === 0) return reply.callNotFound();
    if (console) return console.send(request, reply);
    const products = await site.catalogStore.findByRowIds(rowIds);
    return sendPage(reply, name, products.map((product) => productPart(product, site)).join(""));
  });
  return console;
}

async function findInAnySource(site: SiteParts, slug: string): Promise<StoredProduct | undefined> {
  const found = await Promise.all(
    productSources.map((source: ProductSource) => site.catalogStore.findBySlug(source, slug)),
  );
  return found.find((product) => product !== undefined);
}

function productPart(product: StoredProduct, { publicUrl, currency }: Presentation): string {
  const price = new Intl.NumberFormat("en", { style: "currency", currency }).format(
    fromMinor(product.priceMinor, currency),
  );
  const [image] = product.images.map((address) => absoluteAddress(address, publicUrl));
  return `<article>${image === undefined ? "" : `<img src="${escapeHtml(image)}" alt="" width="320">`}
<h2><a href="${escapeHtml(absoluteAddress(product.url, publicUrl))}">${escapeHtml(product.name)}</a></h2>
<p><b>${escapeHtml(price)}</b> · ${escapeHtml(availabilityText(product.availability))} · ${escapeHtml(product.storeName)}</p>
<p>${escapeHtml(product.description)}</p></article>`;
}

function sendPage(reply: FastifyReply, title: string, content: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", "default-src 'none'; img-src *; style-src 'unsafe-inline'")
    .send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}img{max-width:100%}</style>
<h1>${escapeHtml(title)}</h1>${content}</html>`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
