import type { Circuit } from "@product-search/core/mechanisms/circuit-breaker.ts";
import { steadyClock, systemClock } from "@product-search/core/ports/clock.ts";
import {
  type Marketplace,
  marketplaces,
  type ObserveMarketplace,
} from "@product-search/core/ports/marketplace-source.ts";
import type { Logger } from "pino";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { composeMarketplace } from "../../compose/marketplace.ts";
import type { Run } from "../role.ts";

/** The source has its own limits. These only limit the messages that wait. */
const limits = { concurrency: 2000, maxWaiting: 0 };

/**
 * Calls one live marketplace for all threads, so that its quota, circuit breaker and cache are shared, and parsing its
 * responses takes no time of the other threads.
 */
export const runMarketplace: Run = async ({ config, part, bus, logger }) => {
  const marketplace = marketplaces.find((one) => one === part);
  if (marketplace === undefined) throw new Error(`There is no marketplace ${part}.`);
  const { registry, observe } = createMarketplaceMetrics(marketplace, logger);
  bus.replyToPoll("metrics", async () => registry.getMetricsAsJSON());
  const live = await composeMarketplace(config, systemClock, marketplace, observe);
  bus.serve(marketplace, limits, (query, signal) => live.source.search(query, signal));
  return { stop: live.close };
};

const circuitValues: Record<Circuit, number> = { closed: 0, "half-open": 1, open: 2 };
/** While a marketplace is down, one line is logged per this interval; the counters have every failure. */
const logEveryMs = 1000;

/** Counts and logs the calls of a live marketplace. */
function createMarketplaceMetrics(
  marketplace: Marketplace,
  logger: Logger,
): { registry: Registry; observe: ObserveMarketplace } {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: "product_search_marketplace_request_duration_seconds",
    help: "Requests to a live marketplace by outcome, retries included, waiting for its quota included.",
    labelNames: ["marketplace", "outcome"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 3],
    registers,
  });
  const answers = new Counter({
    name: "product_search_marketplace_answers_total",
    help: "Answers by where they came from: miss, shared, cache or stale; failed when there was none.",
    labelNames: ["marketplace", "from"],
    registers,
  });
  const circuit = new Gauge({
    name: "product_search_marketplace_circuit_state",
    help: "0: the marketplace is asked. 1: one request probes it. 2: it is left alone.",
    labelNames: ["marketplace"],
    aggregator: "max",
    registers,
  });
  circuit.set({ marketplace }, 0);
  let loggedMs = Number.NEGATIVE_INFINITY;

  return {
    registry,
    observe(event) {
      switch (event.kind) {
        case "request":
          requests.observe({ marketplace, outcome: event.outcome }, event.seconds);
          return;
        case "answer":
          answers.inc({ marketplace, from: event.from });
          return;
        case "failure": {
          if (!event.isStaleServed) answers.inc({ marketplace, from: "failed" });
          if (steadyClock.now() - loggedMs < logEveryMs) return;
          loggedMs = steadyClock.now();
          const { fault, message, cause, isStaleServed } = event;
          logger.warn({ marketplace, fault, isStaleServed, err: cause }, `${marketplace} ${message}`);
          return;
        }
        case "circuit":
          circuit.set({ marketplace }, circuitValues[event.state]);
          logger.warn({ marketplace, circuit: event.state }, "the circuit of a marketplace changed");
          return;
      }
    },
  };
}
