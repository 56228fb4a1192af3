import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "@product-search/core/errors.ts";
import { documentTypes } from "@product-search/http-rules/documents.ts";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./access/metrics-access.ts";
import { countPages, type Guard } from "./guard.ts";
import { registerReferencePage } from "./pages/reference-page.ts";

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
