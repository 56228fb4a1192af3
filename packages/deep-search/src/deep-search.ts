import { createStreamsInFlight } from "@product-search/core/mechanisms/share-in-flight.ts";
import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, DoneEvent } from "./deep-search-event.ts";
import { runDeepSearch } from "./run-deep-search.ts";

export interface DeepSearch {
  /** The complete answer. */
  answer(conversation: Conversation, signal: AbortSignal, caller?: string): Promise<DoneEvent>;
  /** The same answer as a stream. */
  stream(conversation: Conversation, signal: AbortSignal, caller?: string): AsyncIterable<DeepSearchEvent>;
}

/** A written answer about products that states only what the catalog contains. */
export function createDeepSearch(deps: DeepSearchDeps): DeepSearch {
  const share = createStreamsInFlight<DeepSearchEvent>();
  const stream: DeepSearch["stream"] = (conversation, signal, caller = "") => {
    const { query, history = [] } = conversation;
    // A run is paid for by its caller: nobody else has to wait for it.
    const key = JSON.stringify([caller, query, ...history]);
    const start = (sharedSignal: AbortSignal) => runDeepSearch(deps, { query, history }, sharedSignal);
    return share(key, start, signal);
  };
  return {
    stream,
    async answer(conversation, signal, caller) {
      for await (const event of stream(conversation, signal, caller)) if (event.type === "done") return event;
      throw new Error("Deep search ended without a result.");
    },
  };
}
