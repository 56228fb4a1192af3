import { availabilityText } from "@product-search/core/domain/availability.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { absoluteAddress, webAddress } from "@product-search/core/domain/urls.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { countPages, type Guard } from "../access/guard.ts";
import { type ConsolePage, type ConsoleSettings, registerConsole } from "./console-pages.ts";
import { brandHead, escapeHtml, priceText, productHead } from "./page-head.ts";

type SiteSettings = Presentation & ConsoleSettings;

/**
 * The URLs in responses must work: images, products, brands. The console shows what it can get from the service. The rest,
 * or everything if the console is not built, has a plain page. Each page says in its first HTML what it shows, because
 * crawlers and agents run no scripts.
 */
export function registerSitePages(
  app: FastifyInstance,
  content: SiteContent,
  settings: SiteSettings,
  guard: Pick<Guard, "countPage">,
): ConsolePage | undefined {
  const onRequest = countPages(guard);
  const findHead = async (slug: string) => {
    const product = await content.findProduct(slug);
    return product && productHead(product, settings);
  };
  const console = registerConsole(app, settings, findHead);
  app.get("/images/*", async (request, reply) => {
    const [path = ""] = request.url.split("?");
    const file = await content.readImage(path);
    if (file === undefined) {
      // Images that exist are not counted: a page of products has hundreds.
      await guard.countPage(request, reply);
      return reply.callNotFound();
    }
    return reply
      .type("image/jpeg")
      .header("cache-control", "public, max-age=31536000, immutable")
      .header("access-control-allow-origin", "*")
      .send(file);
  });

  app.get<{ Params: { slug: string } }>("/products/:slug", { onRequest }, async (request, reply) => {
    const product = await content.findProduct(request.params.slug);
    if (product === undefined) return reply.callNotFound();
    const head = productHead(product, settings);
    if (console && product.source === "catalog") return console.send(request, reply, head);
    return sendPage(reply, head, product.name, productPart(product, settings));
  });

  app.get<{ Params: { name: string } }>("/brands/:name", { onRequest }, async (request, reply) => {
    const { name } = request.params;
    const products = await content.findBrandProducts(name, request.signal);
    const brand = products[0]?.brand;
    if (brand === undefined) return reply.callNotFound();
    // The catalog's spelling of the name, whatever the URL says.
    const head = brandHead(brand, products, settings);
    if (console) return console.send(request, reply, head);
    return sendPage(reply, head, brand, products.map((product) => productPart(product, settings)).join(""));
  });
  return console;
}

function productPart(product: StoredProduct, settings: Presentation): string {
  const [image] = product.images.map((address) => absoluteAddress(address, settings.publicUrl));
  const url = webAddress(product.url, settings.publicUrl);
  const name = escapeHtml(product.name);
  return `<article>${image === undefined ? "" : `<img src="${escapeHtml(image)}" alt="" width="320">`}
<h2>${url === undefined ? name : `<a href="${escapeHtml(url)}">${name}</a>`}</h2>
<p><b>${escapeHtml(priceText(product, settings))}</b> · ${escapeHtml(availabilityText(product.availability))} · ${escapeHtml(product.storeName)}</p>
<p>${escapeHtml(product.description)}</p></article>`;
}

function sendPage(reply: FastifyReply, head: string, heading: string, content: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", "default-src 'none'; img-src *; style-src 'unsafe-inline'")
    .send(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${head}
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}img{max-width:100%}</style>
<h1>${escapeHtml(heading)}</h1>${content}</html>`);
}
