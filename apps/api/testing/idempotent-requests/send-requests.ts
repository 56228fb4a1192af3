import { createHandlers } from "@product-search/features/handlers.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import type { InjectOptions } from "fastify";
import { pino } from "pino";
import { buildApp } from "../../src/app.ts";
import { composePorts, composeSite } from "../../src/compose/ports.ts";
import { composeSqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import { readConfig } from "../../src/config.ts";
import { createHttpMetrics } from "../../src/http/metrics.ts";

export interface RequestPlan {
  dataDir: string;
  token: string;
  /** The time; it stands still. */
  nowMs: number;
  requests: readonly InjectOptions[];
}

export interface Response {
  status: number;
  retryAfter: string | undefined;
  body: string;
}

/** Sends the requests one after the other to a new service on the database, and closes the service. */
export async function sendRequests(
  { dataDir, token, nowMs, requests }: RequestPlan,
  onOpen: () => void = () => {},
): Promise<Response[]> {
  const config = readConfig({ DATA_DIR: dataDir, THREADS: "1", LOG_LEVEL: "silent" });
  const clock = { now: () => nowMs };
  const stores = await composeSqliteStores(config, clock);
  const unused = () => {
    throw new Error("No index and no image is needed here.");
  };
  const ports = composePorts(config, stores, {
    textIndex: () => {},
    liveMarketplace: unused,
    vectors: () => {},
    describe: unused,
    detect: unused,
  });
  const metrics = createHttpMetrics();
  const app = await buildApp({
    ...stores,
    config,
    handlers: createHandlers(ports),
    site: composeSite(ports, stores),
    visible: ports,
    limiter: createRateLimiter(createRateMemory(64), clock.now),
    connectionBalancer: { shouldMove: () => false },
    metrics,
    logger: pino({ level: "silent" }),
    state: { notReady: () => undefined, metrics: () => metrics.registry.metrics() },
  });
  onOpen();
  const responses: Response[] = [];
  for (const request of requests) {
    const response = await app.inject({
      ...request,
      url: `/api/v1${String(request.url)}`,
      headers: { authorization: `Bearer ${token}`, ...request.headers },
    });
    const retryAfter = response.headers["retry-after"];
    responses.push({
      status: response.statusCode,
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
      body: response.body,
    });
  }
  await app.close();
  await stores.close();
  return responses;
}
