import { absoluteAddress } from "@product-search/core/domain/absolute-address.ts";
import { availabilityText } from "@product-search/core/domain/availability.ts";
import type { Presentation } from "@product-search/core/domain/mapping/to-product.ts";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { SiteContent } from "@product-search/core/ports/site-content.ts";
import type { FastifyInstance, FastifyReply } from "fastify";
import { countPages, type Guard } from "../guard.ts";
import { type ConsoleFiles, type ConsolePage, registerConsole } from "./console-pages.ts";

export interface SiteSettings extends Presentation {
  /** The built console, if there is one. */
  consoleFiles: ConsoleFiles | undefined;
}

/**
 * The URLs in responses must work: images, products, brands. The console shows what it can get from the service. The rest,
 * or everything if the console is not built, has a plain page.
 */
export async function registerSitePages(
  app: FastifyInstance,
  content: SiteContent,
  settings: SiteSettings,
  guard: Pick<Guard, "countPage">,
): Promise<ConsolePage | undefined> {
  const onRequest = countPages(guard);
  const console = registerConsole(app, settings);
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
    if (console && product.source === "catalog") return console.send(request, reply);
    return sendPage(reply, product.name, productPart(product, settings));
  });

  app.get<{ Params: { name: string } }>("/brands/:name", { onRequest }, async (request, reply) => {
    const { name } = request.params;
    const products = await content.findBrandProducts(name, request.signal);
    if (products.length === 0) return reply.callNotFound();
    if (console) return console.send(request, reply);
    return sendPage(reply, name, products.map((product) => productPart(product, settings)).join(""));
  });
  return console;
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
