import { randomBytes } from "node:crypto";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import { countPages, type Guard } from "../guard.ts";

/**
 * The API reference at /docs: Scalar with the service's own document. Nothing is loaded from other hosts. Its code is 17 MB in
 * each thread, so it is loaded with the first visit, into an app of its own: a server that listens takes no further routes.
 */
export function registerReferencePage(app: FastifyInstance, guard: Pick<Guard, "countPage">): void {
  let reference: Promise<FastifyInstance> | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= createReference();
    const { method, url } = request;
    const page = await (await reference).inject({ method: method === "HEAD" ? "HEAD" : "GET", url });
    if (page.statusCode === 404) return reply.callNotFound();
    for (const name of ["content-type", "content-length", "content-security-policy", "location"]) {
      const value = page.headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply.code(page.statusCode).send(page.rawPayload);
  };
  for (const path of ["/docs", "/docs/*"]) app.get(path, { onRequest: countPages(guard) }, show);
}

async function createReference(): Promise<FastifyInstance> {
  const { default: reference } = await import("@scalar/fastify-api-reference");
  const app = fastify({ logger: false });
  app.addHook("onSend", async (_request, reply, payload) => {
    if (typeof payload !== "string" || !String(reply.getHeader("content-type")).startsWith("text/html"))
      return payload;
    const nonce = randomBytes(16).toString("base64");
    reply.header("content-security-policy", contentSecurityPolicy(nonce));
    return payload
      .replace("Scalar.createApiReference(", "showReference(")
      .replace("<body>", `<body>${consoleLink}<script>${showReference}</script>`)
      .replaceAll(/<script(?=[\s>])/g, `<script nonce="${nonce}"`)
      .replace("<head>", `<head><meta property="csp-nonce" content="${nonce}"><style>${linkStyle}</style>`);
  });
  await app.register(reference, {
    routePrefix: "/docs",
    logLevel: "silent",
    configuration: {
      url: "/openapi.json",
      pageTitle: "Product search: API reference",
      favicon: "/icon.svg",
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      defaultOpenAllTags: true,
      showDeveloperTools: "never",
      defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  await app.ready();
  return app;
}

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
