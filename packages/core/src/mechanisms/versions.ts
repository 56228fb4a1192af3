import { pause } from "./retry.ts";

/**
 * Waits this long, and then until the store may have changed since the last call, whichever process changed it, or for `restMs`.
 * `pause` is the simplest one: it polls.
 */
export type UntilChange = (ms: number, signal: AbortSignal, restMs?: number) => Promise<void>;

interface FollowVersionSettings<Stored> {
  store: VersionedStore<Stored>;
  /** For one of several threads of a node. */
  shared?: SharedVersion | undefined;
  /** Gets what is stored after every change, and at the start if there was one. Returns the version of what it got. */
  receive(stored: Stored): string | undefined;
  /** Called once per interruption; until it ends, what was received last applies. */
  onError(error: unknown): void;
  pollMs?: number;
  untilChange?: UntilChange | undefined;
}

/** Reads what is stored if its version has changed since the last call. */
export function createVersionReader<Stored>(
  store: VersionedStore<Stored>,
  receive: (stored: Stored) => string | undefined,
): () => Promise<void> {
  let version: string | undefined;
  return async () => {
    if ((await store.version()) !== version) version = receive(await store.read());
  };
}

/**
 * Polls the version in the store, whichever process or node changes it. Resolves after the first attempt, with the
 * function that stops it.
 */
export async function followVersion<Stored>({
  store: ownStore,
  shared,
  receive,
  onError,
  pollMs = 1000,
  untilChange = pause,
}: FollowVersionSettings<Stored>): Promise<() => void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let hasFailed = false;
  // In a microtask, because the version may come at once.
  const pollSoon = () => queueMicrotask(() => void poll());
  const store = shared === undefined ? ownStore : shareVersion(ownStore, shared, pollSoon);
  const readNewest = createVersionReader(store, receive);

  const poll = async () => {
    try {
      await readNewest();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !signal.aborted) onError(error);
      hasFailed = true;
    }
  };
  const follow = async () => {
    while (!signal.aborted) {
      await untilChange(pollMs, signal);
      if (!signal.aborted) await poll();
    }
  };

  await poll();
  void follow();
  return () => stopping.abort();
}

/** Something stored whole, whose version is different after every change. */
interface VersionedStore<Stored> {
  /** Undefined before the first change. */
  version(): Promise<string | undefined>;
  read(): Promise<Stored>;
}

/** How the threads of a node tell each other a version; undefined before the first change. */
export interface SharedVersion {
  /** Whether this thread reads it for all of them. */
  reads: boolean;
  publish(version: string | undefined): void;
  /** The listener gets the newest version at once, if there is one, and every later one. */
  subscribe(receive: (version: string | undefined) => void): void;
}

/** The store with a version that one thread of the node reads for all. `onVersion` is called when another one has. */
function shareVersion<Stored>(
  store: VersionedStore<Stored>,
  { reads, publish, subscribe }: SharedVersion,
  onVersion: () => void,
): VersionedStore<Stored> {
  let newest: { version: string | undefined } | undefined;
  const read = () => store.read();
  if (!reads) {
    subscribe((version) => {
      newest = { version };
      onVersion();
    });
    return { read, version: async () => (newest === undefined ? store.version() : newest.version) };
  }
  return {
    read,
    async version() {
      const version = await store.version();
      if (newest === undefined || newest.version !== version) publish(version);
      newest = { version };
      return version;
    },
  };
}

/** For work that follows a store, and has also reasons of its own to go on. */
interface Wakeup {
  /** Ends the wait, or the next one. */
  signal(): void;
  /** Waits for a signal, or for a change as `UntilChange` says. */
  wait(...time: Parameters<UntilChange>): Promise<void>;
}

export function createWakeup(untilChange: UntilChange): Wakeup {
  let isSignalled = false;
  let wake = () => {};
  /** It goes on after a signal, so that none is left behind. */
  let change: Promise<void> | undefined;
  return {
    signal() {
      isSignalled = true;
      wake();
    },
    async wait(...time) {
      if (change === undefined) {
        change = untilChange(...time).finally(() => {
          change = undefined;
        });
        // Between two waits, nothing else would handle its failure. It fails the next wait, too, if it lasts.
        change.catch(() => {});
      }
      if (!isSignalled) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await Promise.race([promise, change]);
      }
      isSignalled = false;
    },
  };
}
