import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./access/metrics-access.ts";
import { registerReferencePage } from "./pages/reference-page.ts";

/** What the routes beside the interface ask of the process. */
export interface ServiceState {
  /** Undefined when everything can be served, else what is still missing. */
  notReady(): string | undefined;
  /** All threads' metrics in the exposition format of Prometheus. */
  metrics(): Promise<string>;
}

/** Health, metrics and the document itself: outside the base path and the spec. */
export async function registerServiceRoutes(
  app: FastifyInstance,
  { state, config }: { state: ServiceState; config: Pick<Config, "metricsToken" | "metricsPort"> },
): Promise<void> {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const reason = state.notReady();
    if (reason === undefined) return { status: "ready" };
    return reply.code(503).header("retry-after", "1").send({ status: "starting", reason });
  });
  const { metricsToken, metricsPort } = config;
  // With a port of their own they are not here at all.
  if (metricsPort === undefined) {
    app.get("/metrics", async ({ headers }, reply) => {
      if (metricsToken !== undefined && !carriesToken(headers.authorization, metricsToken)) {
        throw new ApiError("unauthorized", metricsRefusal, {
          headers: { "www-authenticate": metricsChallenge },
        });
      }
      return reply.type(metricsType).send(await state.metrics());
    });
  }

  await registerReferencePage(app);

  const require = createRequire(import.meta.url);
  for (const [extension, type] of [
    ["json", "application/json; charset=utf-8"],
    ["yaml", "application/yaml; charset=utf-8"],
  ] as const) {
    const document = await readFile(require.resolve(`@product-search/spec/openapi.${extension}`));
    app.get(`/openapi.${extension}`, async (_request, reply) =>
      reply.type(type).header("access-control-allow-origin", "*").send(document),
    );
  }
}
