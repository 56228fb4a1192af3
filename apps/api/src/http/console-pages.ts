import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The console's page, for every address that is one of its screens. */
export interface ConsolePage {
  send(request: FastifyRequest, reply: FastifyReply): FastifyReply;
}

interface Asset {
  type: string;
  plain: Buffer;
  gzip: Buffer;
}

const screens = ["/", "/ask", "/picture", "/marketplaces", "/webhooks", "/mock"];
const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/**
 * Serves the built console from memory, a few hundred kilobytes, compressed once. Undefined when it has not been
 * built: `pnpm start` builds it, the service does without.
 */
export function registerConsole(
  app: FastifyInstance,
  { currency }: { currency: string },
): ConsolePage | undefined {
  const folder = fileURLToPath(new URL("../../../console/dist", import.meta.url));
  if (!existsSync(join(folder, "index.html"))) {
    app.get("/", async (_request, reply) =>
      reply
        .type("text/plain; charset=utf-8")
        .send("The console is not built. `pnpm start` builds it; /docs has the reference.\n"),
    );
    return undefined;
  }
  const index = toAsset(
    ".html",
    Buffer.from(
      readFileSync(join(folder, "index.html"), "utf8").replace('content="USD"', `content="${currency}"`),
    ),
  );
  const page: ConsolePage = {
    send: (request, reply) =>
      sendAsset(
        request,
        reply.headers({ "content-security-policy": contentSecurityPolicy, "cache-control": "no-cache" }),
        index,
      ),
  };
  for (const path of screens) app.get(path, async (request, reply) => page.send(request, reply));
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const extension = extname(name);
    if (!(extension in types) || name === "index.html") continue;
    const asset = toAsset(extension, readFileSync(join(folder, name)));
    // Names under assets/ carry a hash of their content.
    const lifetime = name.startsWith("assets")
      ? "public, max-age=31536000, immutable"
      : "public, max-age=3600";
    app.get(`/${name}`, async (request, reply) =>
      sendAsset(request, reply.header("cache-control", lifetime), asset),
    );
  }
  return page;
}

function toAsset(extension: string, plain: Buffer): Asset {
  return { type: types[extension] ?? "application/octet-stream", plain, gzip: gzipSync(plain, { level: 9 }) };
}

/** Sends it: whatever headers it is to have besides its own are set before. */
function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  reply.type(asset.type).header("vary", "accept-encoding");
  if (!/\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""))) return reply.send(asset.plain);
  return reply.header("content-encoding", "gzip").send(asset.gzip);
}

/** Pictures of products may come from anywhere; everything else is the service's own. */
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
