import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "@product-search/core/errors.ts";
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from "fastify";
import type { Config } from "../config.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./access/metrics-access.ts";
import { countPages, type Guard } from "./guard.ts";

/** What the routes outside the spec need from the process. */
export interface ServiceState {
  /** Undefined if the service is ready, else what is missing. */
  notReady(): string | undefined;
  /** Undefined unless something is wrong that does not stop the service from reading. */
  warning?(): string | undefined;
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
    const about = warning === undefined ? {} : { warning };
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
  for (const [extension, type] of [
    ["json", "application/json; charset=utf-8"],
    ["yaml", "application/yaml; charset=utf-8"],
  ] as const) {
    const document = await readFile(require.resolve(`@product-search/spec/openapi.${extension}`));
    app.get(`/openapi.${extension}`, { onRequest: countPages(guard) }, async (_request, reply) =>
      reply.type(type).header("access-control-allow-origin", "*").send(document),
    );
  }
}

/**
 * The API reference at /docs: Scalar with the service's own document. Nothing is loaded from other hosts. Its code is 17 MB in
 * each thread, so it is loaded with the first visit, into an app of its own: a server that listens takes no further routes.
 */
function registerReferencePage(app: FastifyInstance, guard: Pick<Guard, "countPage">): void {
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
      .replaceAll(/<script(?=[\s>])/g, `<script nonce="${nonce}"`)
      .replace("<head>", `<head><meta property="csp-nonce" content="${nonce}">`);
  });
  await app.register(reference, {
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
  await app.ready();
  return app;
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
