import type { UntilChange } from "../ports/until-change.ts";
import { pause } from "./abortable.ts";
import { type SharedVersion, shareVersion, type VersionedStore } from "./share-version.ts";

export interface FollowVersionSettings<Stored> {
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
