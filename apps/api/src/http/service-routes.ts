import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { createGunzip } from "node:zlib";
import { ApiError } from "@product-search/core/errors.ts";
import { documentTypes } from "@product-search/http-rules/documents.ts";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { countPages, type Guard } from "./access/guard.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./metrics.ts";

/** What the routes outside the spec need from the process. */
export interface ServiceState {
  /** Undefined if the service is ready, else what is missing. */
  notReady(): string | undefined;
  /** Undefined unless something is wrong that does not stop the service from reading. */
  warning?(): string | undefined;
  /** Codes of the languages in which the catalog is searched; undefined before there is an index. */
  languages?(): readonly string[] | undefined;
  /** All threads' metrics in the exposition format of Prometheus. */
  metrics(): Promise<string>;
}

export interface ServiceRoutesDeps {
  state: ServiceState;
  config: Pick<Config, "metricsToken" | "metricsPort">;
  guard: Pick<Guard, "countPage">;
}

/**
 * Health, metrics and the OpenAPI document. They are outside the base path and the spec. Only health checks have no limit:
 * a balancer that is refused would take the node for dead.
 */
export async function registerServiceRoutes(
  app: FastifyInstance,
  { state, config, guard }: ServiceRoutesDeps,
): Promise<void> {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reason = state.notReady();
    const warning = state.warning?.();
    const languages = state.languages?.();
    const about = { ...(warning !== undefined && { warning }), ...(languages && { languages }) };
    if (reason === undefined) return { status: "ready", ...about };
    return reply
      .code(503)
      .header("retry-after", "1")
      .send({ status: "starting", reason, ...about });
  });
  const { metricsToken, metricsPort } = config;
  // If they have their own port, they are not served here.
  if (metricsPort === undefined) {
    app.get("/metrics", async (request, reply) => {
      const { authorization } = request.headers;
      const isKnown = metricsToken !== undefined && carriesToken(authorization, metricsToken);
      if (!isKnown) await guard.countPage(request, reply);
      if (metricsToken !== undefined && !isKnown) {
        throw new ApiError("unauthorized", metricsRefusal, {
          headers: { "www-authenticate": metricsChallenge },
        });
      }
      return reply.type(metricsType).send(await state.metrics());
    });
  }

  registerReferencePage(app, guard);

  const require = createRequire(import.meta.url);
  for (const [name, type] of Object.entries(documentTypes)) {
    const document = await readFile(require.resolve(`@product-search/spec/${name}`));
    app.get(`/${name}`, { onRequest: countPages(guard) }, async (_request, reply) =>
      reply.type(type).header("access-control-allow-origin", "*").send(document),
    );
  }
}

/** Scalar's code, packed by the build: 4 MB that no thread keeps. Seen from the sources, or from the bundle. */
const packedCode = fileURLToPath(
  new URL(`${import.meta.url.endsWith(".ts") ? "../../dist/" : ""}scalar.js.gz`, import.meta.url),
);

/** The API reference at /docs: Scalar with the service's own document. Nothing is loaded from other hosts. */
function registerReferencePage(app: FastifyInstance, guard: Pick<Guard, "countPage">): void {
  const route = { onRequest: countPages(guard) };
  app.get("/docs", route, async (_request, reply) => reply.redirect("/docs/", 301));
  app.get("/docs/", route, async (_request, reply) => {
    const nonce = randomBytes(16).toString("base64");
    reply.header("content-security-policy", contentSecurityPolicy(nonce));
    return reply.type("text/html; charset=utf-8").send(referencePage(nonce));
  });
  app.get("/docs/js/scalar.js", route, async ({ headers }, reply) => {
    const file = createReadStream(packedCode);
    reply.type("application/javascript; charset=utf-8").header("vary", "accept-encoding");
    if (!/\bgzip\b/.test(String(headers["accept-encoding"] ?? "")))
      return reply.send(pipeline(file, createGunzip(), () => {}));
    return reply.header("content-encoding", "gzip").send(file);
  });
}

const configuration = {
  url: "/openapi.json",
  favicon: "/icon.svg",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  defaultOpenAllTags: true,
  showDeveloperTools: "never",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  agent: { disabled: true },
  mcp: { disabled: true },
};

const referencePage = (nonce: string) => `<!doctype html>
<html>
  <head>
    <meta property="csp-nonce" content="${nonce}">
    <style>${linkStyle}</style>
    <title>Product search: API reference</title>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
  </head>
  <body>
    ${consoleLink}
    <div id="app"></div>
    <script nonce="${nonce}" src="js/scalar.js"></script>
    <script nonce="${nonce}">${showReference}
      showReference("#app", ${JSON.stringify(configuration)});
    </script>
  </body>
</html>`;

const consoleLink = '<header class="console-link"><a href="/">← Console</a></header>';

/** Scalar leaves as much room above itself as this variable says. */
const linkStyle = `
:root { --scalar-custom-header-height: 2.5rem; }
.console-link { position: sticky; top: 0; z-index: 100; height: 2.5rem; box-sizing: border-box; padding: 0.5rem 1.25rem;
  border-bottom: 1px solid var(--scalar-border-color, #ddd); background: var(--scalar-background-1, #fff);
  font: 0.9375rem system-ui, sans-serif; }
.console-link a { color: var(--scalar-color-1, #1c1d1f); }
`;

/**
 * Runs in the page. The document has no host: its examples get the one that the page was opened at. The console keeps its
 * token and its light in the storage of the same origin.
 */
const showReference = `
async function showReference(element, { url, ...configuration }) {
  const readKept = (name) => {
    try {
      return sessionStorage.getItem("product-search " + name) ?? localStorage.getItem("product-search " + name);
    } catch {
      return null;
    }
  };
  const document = await (await fetch(url)).text();
  const [token, theme] = [readKept("token"), readKept("theme")];
  Scalar.createApiReference(element, {
    ...configuration,
    content: document.replaceAll("{base_url}", location.origin + "/api/v1"),
    ...(token && {
      authentication: { preferredSecurityScheme: "bearerAuth", securitySchemes: { bearerAuth: { token } } },
    }),
    ...(theme && { darkMode: theme === "dark" }),
  });
}
`;

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
