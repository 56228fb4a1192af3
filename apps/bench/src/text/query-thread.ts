import { parentPort, workerData } from "node:worker_threads";
import { openIndex, type SearchQuery, type Snapshot } from "@product-search/text-index";

export interface QueryThreadData {
  readonly snapshot: Snapshot;
  readonly queries: readonly SearchQuery[];
  readonly seconds: number;
}

// Runs the queries again and again and reports how many per second it completed, after a warm-up of a second.
const { snapshot, queries, seconds }: QueryThreadData = workerData;
const index = openIndex(snapshot);
ask(1);
parentPort?.postMessage(ask(seconds));

function ask(duration: number): number {
  const start = performance.now();
  let responded = 0;
  for (;;) {
    for (const query of queries) {
      index.search(query);
      responded++;
      const elapsed = (performance.now() - start) / 1000;
      if (elapsed >= duration) return responded / elapsed;
    }
  }
}
