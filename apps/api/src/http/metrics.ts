import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface HttpMetrics {
  registry: Registry;
  observe(operation: string, status: number, seconds: number): void;
  /** The number of requests in progress. */
  inFlight: number;
  /** Counts a deep search: who wrote the answer, and if not the model, why. */
  countAnswer(writer: string, failure: string | undefined): void;
  /** Counts a catalog search with a text. */
  countSearch(results: number): void;
}

/** The metrics of one thread. The main thread adds up those of all threads on request. */
export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry();
  const labelNames = ["operation", "status"];
  const requests = new Counter({
    name: "http_requests_total",
    help: "Answers by operation and status.",
    labelNames,
    registers: [registry],
  });
  const duration = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the request's head to the end of the answer.",
    labelNames: ["operation"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: "http_requests_in_flight",
    help: "Requests being answered now.",
    aggregator: "sum",
    registers: [registry],
    collect() {
      this.set(metrics.inFlight);
    },
  });
  const answers = new Counter({
    name: "deep_search_answers_total",
    help: "Answers of deep search by writer, and why the language model did not write them.",
    labelNames: ["writer", "failure"],
    registers: [registry],
  });
  const searches = new Counter({
    name: "catalog_searches_total",
    help: "Catalog searches with a text, their first pages only, by whether they found a product.",
    labelNames: ["found"],
    registers: [registry],
  });
  const found = searches.labels("yes");
  const foundNothing = searches.labels("no");
  const series = new Map<string, { count(): void; time(seconds: number): void }>();
  const metrics: HttpMetrics = {
    registry,
    inFlight: 0,
    countSearch: (results) => (results === 0 ? foundNothing : found).inc(),
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

/** Whether searches work. One thread that is not ready is enough for the service not to be. */
export function addReadyGauge(registry: Registry, isReady: () => boolean): void {
  new Gauge({
    name: "service_ready",
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
