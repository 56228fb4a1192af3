import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, DoneEvent } from "./deep-search-event.ts";
import { runDeepSearch } from "./run-deep-search.ts";
import { createShareInFlight } from "./share-in-flight.ts";

export interface DeepSearch {
  /** The complete answer. */
  answer(conversation: Conversation, signal: AbortSignal): Promise<DoneEvent>;
  /** The same answer as a stream. */
  stream(conversation: Conversation, signal: AbortSignal): AsyncIterable<DeepSearchEvent>;
}

/** A written answer about products that states only what the catalog contains. */
export function createDeepSearch(deps: DeepSearchDeps): DeepSearch {
  const share = createShareInFlight<DeepSearchEvent>();
  const stream: DeepSearch["stream"] = (conversation, signal) => {
    const { query, history = [] } = conversation;
    const key = JSON.stringify([query, ...history]);
    return share(key, (flightSignal) => runDeepSearch(deps, { query, history }, flightSignal), signal);
  };
  return {
    stream,
    async answer(conversation, signal) {
      for await (const event of stream(conversation, signal)) if (event.type === "done") return event;
      throw new Error("Deep search ended without a result.");
    },
  };
}
