import { abortable } from "@product-search/core/domain/abortable.ts";

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

export type ShareInFlight<Item> = (
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Item>,
  signal: AbortSignal,
) => AsyncGenerator<Item>;

/** Concurrent identical requests share one run. It is aborted when all its callers have aborted. */
export function createShareInFlight<Item>(): ShareInFlight<Item> {
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
