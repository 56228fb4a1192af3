import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The console's page, for every path of a screen. */
export interface ConsolePage {
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

export interface ConsoleSettings {
  consoleFolder: string;
  currency: string;
}

const screens = ["/", "/ask", "/picture", "/marketplaces", "/webhooks", "/mock", "/product"];

/**
 * Serves the built console: its files, their compressed versions, and one page for all screens. Undefined if the console has
 * not been built. `pnpm start` builds it; the service also works without it.
 */
export async function registerConsole(
  app: FastifyInstance,
  { consoleFolder, currency }: ConsoleSettings,
): Promise<ConsolePage | undefined> {
  const index = join(consoleFolder, "index.html");
  if (!existsSync(index)) {
    app.get("/", async (_request, reply) =>
      reply
        .type("text/plain; charset=utf-8")
        .send("The console is not built. `pnpm start` builds it; /docs has the reference.\n"),
    );
    return undefined;
  }
  await app.register(fastifyStatic, {
    root: consoleFolder,
    // One route per existing file, so that no other file on disk can be requested.
    wildcard: false,
    globIgnore: ["index.html", "**/*.gz"],
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    setHeaders: (reply, path) => reply.header("cache-control", lifetime(path)),
  });
  const html = readFileSync(index, "utf8").replace('content="USD"', `content="${currency}"`);
  const page = createPage(Buffer.from(html));
  for (const path of screens) app.get(path, async (request, reply) => page.send(request, reply));
  return page;
}

/** Names under assets/ contain a hash of their content. */
function lifetime(path: string): string {
  return basename(dirname(path)) === "assets"
    ? "public, max-age=31536000, immutable"
    : "public, max-age=3600";
}

function createPage(plain: Buffer): ConsolePage {
  const packed = gzipSync(plain, { level: 9 });
  return {
    send({ headers }, reply) {
      reply.type("text/html; charset=utf-8").headers({
        "content-security-policy": contentSecurityPolicy,
        "cache-control": "no-cache",
        vary: "accept-encoding",
      });
      if (!/\bgzip\b/.test(String(headers["accept-encoding"] ?? ""))) return reply.send(plain);
      return reply.header("content-encoding", "gzip").send(packed);
    },
  };
}

/** Images of products may come from any host; everything else only from the service. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: http: data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
