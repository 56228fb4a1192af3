import { createHash, timingSafeEqual } from "node:crypto";
import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface HttpMetrics {
  registry: Registry;
  observe(operation: string, status: number, seconds: number): void;
  /** The number of requests in progress. */
  inFlight: number;
  /** Counts a deep search: who wrote the answer, and if not the model, why. */
  countAnswer(writer: string, failure: string | undefined): void;
  /** Counts a catalog search with a text. */
  countSearch(results: number): void;
  countEvent(outcome: string): void;
}

/** The metrics of one thread. The main thread adds up those of all threads on request. */
export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  const labelNames = ["operation", "status"];
  const requests = new Counter({
    name: "product_search_http_requests_total",
    help: "Answers by operation and status.",
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: "product_search_http_request_duration_seconds",
    help: "Time from the request's head to the end of the answer.",
    labelNames: ["operation"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: "product_search_http_requests_in_flight",
    help: "Requests being answered now.",
    aggregator: "sum",
    registers: [registry],
    collect() {
      this.set(metrics.inFlight);
    },
  });
  const answers = new Counter({
    name: "product_search_deep_search_answers_total",
    help: "Answers of deep search by writer, and why the language model did not write them.",
    labelNames: ["writer", "failure"],
    registers: [registry],
  });
  const searches = new Counter({
    name: "product_search_catalog_searches_total",
    help: "Catalog searches with a text, their first pages only, by whether they found a product.",
    labelNames: ["found"],
    registers: [registry],
  });
  const events = new Counter({
    name: "product_search_product_events_total",
    help: "Clicks, additions to the cart and purchases that were sent, by whether they counted or why not.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  const found = searches.labels("yes");
  const foundNothing = searches.labels("no");
  const series = new Map<string, { count(): void; time(seconds: number): void }>();
  const metrics: HttpMetrics = {
    registry,
    inFlight: 0,
    countSearch: (results) => (results === 0 ? foundNothing : found).inc(),
    countEvent: (outcome) => events.inc({ outcome }),
    countAnswer: (writer, failure) => answers.inc({ writer, failure: failure ?? "none" }),
    observe(operation, status, seconds) {
      const key = `${operation} ${status}`;
      let counted = series.get(key);
      if (!counted) {
        const counter = requests.labels(operation, String(status));
        const histogram = duration.labels(operation);
        counted = { count: () => counter.inc(), time: (value) => histogram.observe(value) };
        series.set(key, counted);
      }
      counted.count();
      counted.time(seconds);
    },
  };
  return metrics;
}

/** In the order in which they are read: the last one begins anew. */
const delayFigures: readonly [string, (delays: ELDHistogram) => number][] = [
  ["min", ({ min }) => min],
  ["max", ({ max }) => max],
  ["mean", ({ mean }) => mean],
  ["stddev", ({ stddev }) => stddev],
  ["p50", (delays) => delays.percentile(50)],
  ["p90", (delays) => delays.percentile(90)],
  ["p99", (delays) => delays.percentile(99)],
];

/**
 * The usual ones of Node. prom-client measures how late the event loop is with a timer that wakes an idle thread 100 times a
 * second: here the histogram that is returned does, enabled only while there are requests.
 */
export function addProcessMetrics(registry: Registry): Pick<ELDHistogram, "enable" | "disable"> {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 24 * 3600 * 1000 });
  const delays = monitorEventLoopDelay({ resolution: 10 });
  const last = delayFigures.at(-1)?.[0];
  for (const [figure, read] of delayFigures) {
    const name = `nodejs_eventloop_lag_${figure}_seconds`;
    registry.removeSingleMetric(name);
    new Gauge({
      name,
      help: `Delay of the event loop while there were requests since the last scrape: ${figure}.`,
      registers: [registry],
      collect() {
        this.set(delays.count === 0 ? 0 : read(delays) / 1e9);
        if (figure === last) delays.reset();
      },
    });
  }
  return delays;
}

/** Whether searches work. One thread that is not ready is enough for the service not to be. */
export function addReadyGauge(registry: Registry, isReady: () => boolean): void {
  new Gauge({
    name: "product_search_service_ready",
    help: "1 when texts and images can be searched, else 0: as /readyz says.",
    aggregator: "min",
    registers: [registry],
    collect() {
      this.set(isReady() ? 1 : 0);
    },
  });
}

/** One text in the exposition format from what the threads' registries gave as JSON. */
export function mergeMetrics(perThread: readonly object[]): Promise<string> {
  return AggregatorRegistry.aggregate([...perThread]).metrics();
}

/** Whether the header contains the token. Takes the same time for every wrong token. */
export function carriesToken(authorization: string | undefined, token: string): boolean {
  const sent = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";
  return timingSafeEqual(digest(sent), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export const metricsType = "text/plain; version=0.0.4; charset=utf-8";
export const metricsRefusal = "Authorization: send `Authorization: Bearer <METRICS_TOKEN>`.";
export const metricsChallenge = 'Bearer realm="metrics"';
