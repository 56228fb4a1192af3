import { abortable } from "./retry.ts";

/** Concurrent calls with the same key share one run, which nobody aborts: its result also serves those who left. */
export interface CallsInFlight<Key, Result> {
  isRunning(key: Key): boolean;
  /** Starts a run unless one with this key is running. */
  share(key: Key, start: () => Promise<Result>): Promise<Result>;
}

export function createCallsInFlight<Key, Result>(): CallsInFlight<Key, Result> {
  const running = new Map<Key, Promise<Result>>();
  return {
    isRunning: (key) => running.has(key),
    share(key, start) {
      const current = running.get(key);
      if (current !== undefined) return current;
      const started = start().finally(() => running.delete(key));
      running.set(key, started);
      return started;
    },
  };
}

/** The same for work that has no key. */
export function shareRunning<Result>(work: () => Promise<Result>): () => Promise<Result> {
  const calls = createCallsInFlight<undefined, Result>();
  return () => calls.share(undefined, work);
}

/** A running stream with several callers. Its items are kept for callers that join later. */
interface RunningStream<Item> {
  items: Item[];
  isEnded: boolean;
  failure: unknown;
  callers: number;
  wake: () => void;
  progress: Promise<void>;
  abort: AbortController;
}

export type ShareStream<Item> = (
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Item>,
  signal: AbortSignal,
) => AsyncGenerator<Item>;

/** Concurrent streams with the same key share one run. It is aborted when all its callers have left. */
export function createStreamsInFlight<Item>(): ShareStream<Item> {
  const running = new Map<string, RunningStream<Item>>();
  return async function* share(key, start, signal) {
    const stream = running.get(key) ?? startStream(running, key, start);
    stream.callers += 1;
    try {
      for (let next = 0; ; ) {
        signal.throwIfAborted();
        const item = stream.items[next];
        if (item !== undefined) {
          next += 1;
          yield item;
        } else if (stream.isEnded) {
          if (stream.failure !== undefined) throw stream.failure;
          return;
        } else await abortable(stream.progress, signal);
      }
    } finally {
      stream.callers -= 1;
      if (stream.callers === 0 && !stream.isEnded) {
        running.delete(key);
        stream.abort.abort();
      }
    }
  };
}

function startStream<Item>(
  running: Map<string, RunningStream<Item>>,
  key: string,
  start: (signal: AbortSignal) => AsyncIterable<Item>,
): RunningStream<Item> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream: RunningStream<Item> = {
    items: [],
    isEnded: false,
    failure: undefined,
    callers: 0,
    wake: resolve,
    progress: promise,
    abort: new AbortController(),
  };
  running.set(key, stream);
  void collect(stream, start(stream.abort.signal)).finally(() => {
    // A later run may have taken its place.
    if (running.get(key) === stream) running.delete(key);
  });
  return stream;
}

async function collect<Item>(stream: RunningStream<Item>, items: AsyncIterable<Item>): Promise<void> {
  const wakeAll = (): void => {
    const { wake } = stream;
    const { promise, resolve } = Promise.withResolvers<void>();
    stream.progress = promise;
    stream.wake = resolve;
    wake();
  };
  try {
    for await (const item of items) {
      stream.items.push(item);
      wakeAll();
    }
  } catch (error) {
    stream.failure = error;
  } finally {
    stream.isEnded = true;
    wakeAll();
  }
}
