import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import type { Config } from "../config.ts";
import { ApiError } from "../errors.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./access/metrics-access.ts";
import { registerReferencePage } from "./pages/reference-page.ts";

/** What the routes outside the spec need from the process. */
export interface ServiceState {
  /** Undefined if the service is ready, else what is missing. */
  notReady(): string | undefined;
  /** Undefined unless something is wrong that does not stop the service from reading. */
  warning?(): string | undefined;
  /** All threads' metrics in the exposition format of Prometheus. */
  metrics(): Promise<string>;
}

/** Health, metrics and the OpenAPI document. They are outside the base path and the spec. */
export async function registerServiceRoutes(
  app: FastifyInstance,
  { state, config }: { state: ServiceState; config: Pick<Config, "metricsToken" | "metricsPort"> },
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
