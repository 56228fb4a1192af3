import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip, gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress } from "../access/client-network.ts";

/** The console's page, for every path of a screen. */
export interface ConsolePage {
  /** `head` replaces the title and the description. */
  send(request: FastifyRequest, reply: FastifyReply, head?: string): FastifyReply;
}

/** The built console: path in its folder → content, in memory that threads share. */
export type ConsoleFiles = ReadonlyMap<string, Uint8Array>;

export interface RenderedShopPage {
  status: 200 | 404;
  content: string;
  /** Of the product that the page shows. */
  slug?: string | undefined;
}

/** The page of the shop at this URL, for a visitor's address. Undefined if there is no time for it now. */
export type RenderShop = (url: URL, address: string) => Promise<RenderedShopPage | undefined>;

export interface ConsoleSettings {
  /** The built console, if there is one. */
  consoleFiles: ConsoleFiles | undefined;
  currency: string;
  publicUrl: string;
  renderShop?: RenderShop | undefined;
  /** A public token that the shop page carries, if it was built. */
  shopToken?: string | undefined;
}

/** Seen from the sources, or from the bundle. */
const apps = import.meta.url.endsWith(".ts") ? "../../../.." : "../..";
export const builtFile = (app: string, path: string): URL =>
  new URL(`${apps}/${app}/dist/${path}`, import.meta.url);
const builtFolder = (app: string): string => fileURLToPath(builtFile(app, "."));
const shopFolder = "shop";

/**
 * All files, a megabyte, at one moment: a page names the other files by a hash of their content, and a build beside the running
 * service replaces them. Those of the shop page are below `shop/`. Undefined if the console has not been built.
 */
export function readPages(): ConsoleFiles | undefined {
  const consoleFiles = readConsole(builtFolder("console"));
  // What renders pages is not for browsers.
  const shopFiles = readConsole(builtFolder("storefront"), "server") ?? new Map<string, Uint8Array>();
  if (consoleFiles === undefined) return undefined;
  return new Map([
    ...consoleFiles,
    ...[...shopFiles].map(([path, file]) => [join(shopFolder, path), file] as const),
  ]);
}

export function readConsole(folder: string, except?: string): ConsoleFiles | undefined {
  if (!existsSync(join(folder, "index.html"))) return undefined;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && relative(folder, file.parentPath) !== except,
  );
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const content = readFileSync(path);
      const shared = new Uint8Array(new SharedArrayBuffer(content.length));
      shared.set(content);
      return [relative(folder, path), shared];
    }),
  );
}

const screens = [
  "/",
  "/ask",
  "/picture",
  "/marketplaces",
  "/insights",
  "/merchandising",
  "/webhooks",
  "/mock",
  "/product",
];

/**
 * Serves the built console: its files, their compressed versions, and one page for all screens. Undefined if the console has
 * not been built. `pnpm start` builds it; the service also works without it.
 */
export function registerConsole(
  app: FastifyInstance,
  { consoleFiles, currency, shopToken = "", publicUrl, renderShop }: ConsoleSettings,
  findHead: (slug: string) => Promise<string | undefined>,
): ConsolePage | undefined {
  const index = consoleFiles?.get("index.html");
  if (consoleFiles === undefined || index === undefined) {
    app.get("/", async (_request, reply) =>
      reply
        .type("text/plain; charset=utf-8")
        .send("The console is not built. `pnpm start` builds it; /docs has the reference.\n"),
    );
    return undefined;
  }
  // One route per file, so that no other file on disk can be requested.
  for (const [path, content] of consoleFiles) {
    if (/(^|\/)index\.html$|\.gz$/.test(path)) continue;
    const file = { plain: toBuffer(content), packed: toBuffer(consoleFiles.get(`${path}.gz`)) };
    const headers = { "content-type": contentType(path), "cache-control": lifetime(path) };
    app.get(`/${path}`, async (request, reply) => sendFile(request, reply.headers(headers), file));
  }
  const withSettings = (html: Uint8Array) =>
    Buffer.from(html)
      .toString()
      .replace('content="USD"', `content="${currency}"`)
      .replace('name="shop-token" content=""', `name="shop-token" content="${shopToken}"`);
  const page = createPage(withSettings(index));
  for (const path of screens) app.get(path, async (request, reply) => page.send(request, reply));
  const shopIndex = consoleFiles.get(`${shopFolder}/index.html`);
  if (shopIndex !== undefined) {
    const html = withSettings(shopIndex);
    const shop = createPage(html);
    app.get(`/${shopFolder}/*`, async (request, reply) => shop.send(request, reply));
    const headers = headersOf(html);
    const sendRendered = async (request: FastifyRequest, reply: FastifyReply) => {
      const page = await renderShop?.(new URL(request.url, publicUrl), clientAddress(request));
      if (page === undefined) return shop.send(request, reply);
      const head = page.slug === undefined ? undefined : await findHead(page.slug);
      const plain = Buffer.from(withHead(html, head).replace(emptyRoot, () => page.content));
      reply.code(page.status).headers(headers);
      return sendFile(request, reply, { plain, packed: await packAsync(plain) });
    };
    for (const path of ["", "/products/:id"]) app.get(`/${shopFolder}${path}`, sendRendered);
  }
  return page;
}

/** Names under assets/ contain a hash of their content. */
function lifetime(path: string): string {
  return dirname(path).endsWith("assets") ? "public, max-age=31536000, immutable" : "public, max-age=3600";
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpg": "image/jpeg",
  ".js": "application/javascript; charset=utf-8",
  // Text that browsers show, where they would download Markdown.
  ".md": "text/plain; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

function contentType(path: string): string {
  return contentTypes[extname(path)] ?? "application/octet-stream";
}

/** A view, not a copy. */
function toBuffer(content: Uint8Array): Buffer;
function toBuffer(content: Uint8Array | undefined): Buffer | undefined;
function toBuffer(content: Uint8Array | undefined): Buffer | undefined {
  return content && Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { plain, packed }: { plain: Buffer; packed: Buffer | undefined },
): FastifyReply {
  if (packed === undefined) return reply.send(plain);
  reply.header("vary", "accept-encoding");
  if (!/\bgzip\b/.test(String(headers["accept-encoding"] ?? ""))) return reply.send(plain);
  return reply.header("content-encoding", "gzip").send(packed);
}

const titleElement = /<title>[^<]*<\/title>/;
const descriptionElement = /<meta name="description"[^>]*>/;

function createPage(html: string): ConsolePage {
  const plain = Buffer.from(html);
  const packed = gzipSync(plain, { level: 9 });
  const headers = headersOf(html);
  return {
    send(request, reply, head) {
      reply.headers(headers);
      // A few kilobytes, for one product: compressing them would cost more than sending them.
      if (head !== undefined) return reply.send(withHead(html, head));
      return sendFile(request, reply, { plain, packed });
    },
  };
}

function withHead(html: string, head: string | undefined): string {
  if (head === undefined) return html;
  return html.replace(descriptionElement, "").replace(titleElement, () => head);
}

const emptyRoot = '<div id="root"></div>';
const packAsync = promisify(gzip);

/** Images of products may come from any host; everything else only from the service, or it is in the built page. */
function headersOf(html: string) {
  const styles = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(
    ([, text = ""]) => ` 'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
  const contentSecurityPolicy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styles.join("")}`,
    "img-src 'self' https: http: data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": contentSecurityPolicy,
    "cache-control": "no-cache",
  };
}
