import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { countPages, type Guard } from "../guard.ts";

/** The API reference at /docs: Scalar with the service's own document. Nothing is loaded from other hosts. */
export async function registerReferencePage(
  app: FastifyInstance,
  guard: Pick<Guard, "countPage">,
): Promise<void> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  await app.register(async (scope) => {
    scope.addHook("onRequest", countPages(guard));
    scope.addHook("onSend", async (_request, reply, payload) => {
      if (typeof payload !== "string" || !String(reply.getHeader("content-type")).startsWith("text/html"))
        return payload;
      const nonce = randomBytes(16).toString("base64");
      reply.header("content-security-policy", contentSecurityPolicy(nonce));
      return payload
        .replaceAll(/<script(?=[\s>])/g, `<script nonce="${nonce}"`)
        .replace("<head>", `<head><meta property="csp-nonce" content="${nonce}">`);
    });
    await scope.register(reference, {
      routePrefix: "/docs",
      logLevel: "silent",
      configuration: {
        url: "/openapi.json",
        pageTitle: "Product search: API reference",
        withDefaultFonts: false,
        telemetry: false,
        hideClientButton: true,
        showDeveloperTools: "never",
        defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    });
  });
}

/** Scalar sets styles on elements at run time; scripts run only with the nonce. */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
