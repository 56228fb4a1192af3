import { abortable } from "@product-search/core/domain/abortable.ts";
import { createFairTurns } from "@product-search/core/domain/fair-turns.ts";
import type { Conversation } from "./conversation.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import type { DeepSearchEvent, DoneEvent } from "./deep-search-event.ts";
import { runDeepSearch } from "./run-deep-search.ts";

export interface DeepSearch {
  /** The complete answer. Callers, which are tokens, are served in turn. */
  answer(conversation: Conversation, signal: AbortSignal, caller?: string): Promise<DoneEvent>;
  /** The same answer as a stream. */
  stream(conversation: Conversation, signal: AbortSignal, caller?: string): AsyncIterable<DeepSearchEvent>;
}

/** A written answer about products that states only what the catalog contains. */
export function createDeepSearch(deps: DeepSearchDeps): DeepSearch {
  const share = createShareInFlight<DeepSearchEvent>();
  const { turns = createFairTurns() } = deps;
  const stream: DeepSearch["stream"] = (conversation, signal, caller = "") => {
    const { query, history = [] } = conversation;
    // A run waits in the queue of its caller: nobody else has to wait for it there.
    const key = JSON.stringify([caller, query, ...history]);
    const start = (flightSignal: AbortSignal) =>
      runDeepSearch({ ...deps, turns }, { query, history }, flightSignal, caller);
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

/** A run with several callers. Its events are kept for callers that join later. */
interface Flight<Item> {
  items: Item[];
  ended: boolean;
  failure: unknown;
  watchers: number;
  wake: () => void;
  progress: Promise<void>;
  abort: AbortController;
}

type ShareInFlight<Item> = (
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Item>,
  signal: AbortSignal,
) => AsyncGenerator<Item>;

/** Concurrent identical requests share one run. It is aborted when all its callers have aborted. */
function createShareInFlight<Item>(): ShareInFlight<Item> {
  const flights = new Map<string, Flight<Item>>();
  return async function* watch(key, start, signal) {
    const flight = flights.get(key) ?? takeOff(flights, key, start);
    flight.watchers += 1;
    try {
      for (let next = 0; ; ) {
        signal.throwIfAborted();
        const item = flight.items[next];
        if (item !== undefined) {
          next += 1;
          yield item;
        } else if (flight.ended) {
          if (flight.failure !== undefined) throw flight.failure;
          return;
        } else await abortable(flight.progress, signal);
      }
    } finally {
      flight.watchers -= 1;
      if (flight.watchers === 0 && !flight.ended) {
        flights.delete(key);
        flight.abort.abort();
      }
    }
  };
}

function takeOff<Item>(
  flights: Map<string, Flight<Item>>,
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Item>,
): Flight<Item> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const flight: Flight<Item> = {
    items: [],
    ended: false,
    failure: undefined,
    watchers: 0,
    wake: resolve,
    progress: promise,
    abort: new AbortController(),
  };
  flights.set(key, flight);
  void fly(flight, start(flight.abort.signal)).finally(() => {
    if (flights.get(key) === flight) flights.delete(key);
  });
  return flight;
}

async function fly<Item>(flight: Flight<Item>, items: AsyncIterable<Item>): Promise<void> {
  const wakeAll = (): void => {
    const { wake } = flight;
    const { promise, resolve } = Promise.withResolvers<void>();
    flight.progress = promise;
    flight.wake = () => resolve();
    wake();
  };
  try {
    for await (const item of items) {
      flight.items.push(item);
      wakeAll();
    }
  } catch (error) {
    flight.failure = error;
  } finally {
    flight.ended = true;
    wakeAll();
  }
}
