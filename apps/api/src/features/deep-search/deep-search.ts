import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, DoneEvent } from "./deep-search-event.ts";
import { runDeepSearch } from "./run-deep-search.ts";
import { createShareInFlight } from "./share-in-flight.ts";

export interface DeepSearch {
  /** The finished answer. */
  answer(query: string, signal: AbortSignal): Promise<DoneEvent>;
  /** The same answer as it comes. */
  stream(query: string, signal: AbortSignal): AsyncIterable<DeepSearchEvent>;
}

/** A conversational answer about products that never says what the catalog does not. */
export function createDeepSearch(deps: DeepSearchDeps): DeepSearch {
  const share = createShareInFlight<DeepSearchEvent>();
  const stream: DeepSearch["stream"] = (query, signal) =>
    share(query, (flightSignal) => runDeepSearch(deps, query, flightSignal), signal);
  return {
    stream,
    async answer(query, signal) {
      for await (const event of stream(query, signal)) if (event.type === "done") return event;
      throw new Error("Deep search ended without a result.");
    },
  };
}
