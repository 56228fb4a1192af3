import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { buildApp } from "@product-search/api/app.ts";
import { composePorts, composeSite } from "@product-search/api/compose/ports.ts";
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { tracePort, tracePorts } from "@product-search/api/compose/trace-ports.ts";
import type { Config } from "@product-search/api/config.ts";
import {
  compareEveryMs,
  createConnectionBalancer,
} from "@product-search/api/http/connections/connection-balancer.ts";
import { createHttpMetrics } from "@product-search/api/http/metrics.ts";
import { createLogger } from "@product-search/api/runtime/logger.ts";
import { startTracing } from "@product-search/api/runtime/tracing/start-tracing.ts";
import { createHandlers } from "@product-search/features/handlers.ts";
import { createRateLimiter } from "@product-search/http-rules/access/rate-limiter.ts";
import type { components } from "@product-search/types";

export interface FrameThreadData {
  kind: "bare" | "frame";
  number: number;
  config: Config;
  rateMemory: SharedArrayBuffer;
  utilizationMemory: SharedArrayBuffer;
}

const responseBody: components["schemas"]["MarketplaceASearchResponse"] = {
  status: "success",
  Products: Array.from({ length: 5 }, (_, index) => ({
    _id: `marketplace-a_ITEM${index}`,
    name: `Trail running shoe with a grippy sole, model ${index}`,
    price: 89.9 + index,
    originalPrice: 119.9,
    images: [`https://images.example/shoes/${index}.jpg`],
    url: `https://marketplace-a.example/items/ITEM${index}`,
    slug: `ITEM${index}`,
    brand: "Nordlys",
    storeName: "Runners & Co",
    source: "marketplace-a",
    averageRating: 4.4,
    description: "A light shoe for soft ground, with a breathable mesh and a reinforced toe cap.",
    availability: "In stock",
    position: index + 1,
    itemCode: `ITEM${index}`,
  })),
  hasMore: true,
  count: 431,
  storeBrandMatch: [],
  source: "marketplace-a",
  secondhand: false,
  page: 1,
  limit: 5,
};

const { kind, number, config, rateMemory, utilizationMemory }: FrameThreadData = workerData;
const address = { host: "127.0.0.1", port: config.port, reusePort: true };

if (kind === "bare") {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.end(JSON.stringify(responseBody));
  });
  server.listen(address, () => {
    const bound = server.address();
    parentPort?.postMessage(typeof bound === "object" ? bound?.port : 0);
  });
} else {
  const rejectImages = () => Promise.reject(new Error("No image is sent here."));
  if (config.tracing !== undefined) await startTracing(config.tracing, `http ${number}`);
  const stores = await composeSqliteStores(config);
  const metrics = createHttpMetrics();
  const composed = composePorts(config, stores, {
    textIndex: () => undefined,
    vectors: () => undefined,
    describe: rejectImages,
    detect: rejectImages,
    liveMarketplace: (marketplace) => {
      throw new Error(`${marketplace} is not live here.`);
    },
  });
  const ports = tracePorts(config, composed);
  const handlers = { ...createHandlers(ports), searchMarketplaceA: async () => responseBody };
  const connectionBalancer = createConnectionBalancer(utilizationMemory, number);
  setInterval(() => connectionBalancer.compare(), compareEveryMs);
  const app = await buildApp({
    ...stores,
    config,
    site: composeSite(ports, stores),
    visible: ports,
    handlers: config.tracing === undefined ? handlers : tracePort("feature", handlers),
    limiter: createRateLimiter(rateMemory, () => stores.clock.now()),
    connectionBalancer,
    metrics,
    logger: createLogger(config),
    state: { notReady: () => undefined, metrics: () => metrics.registry.metrics() },
  });
  await app.listen(address);
  const bound = app.server.address();
  parentPort?.postMessage(typeof bound === "object" ? bound?.port : 0);
}
