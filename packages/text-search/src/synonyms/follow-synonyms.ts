import { pause } from "@product-search/core/mechanisms/abortable.ts";
import type { SynonymStore } from "@product-search/core/ports/synonym-store.ts";
import type { SynonymsOf } from "../newest-index.ts";
import { compileRules, effectiveRules, noChanges } from "./effective-rules.ts";
import { type SharedVersion, shareVersion } from "./share-version.ts";

export interface FollowSynonymsSettings {
  store: Pick<SynonymStore, "version" | "read">;
  /** For one of several threads of a node. */
  shared?: SharedVersion | undefined;
  /** Called once per interruption; until it ends, the last known synonyms apply. */
  onError(error: unknown): void;
  pollMs?: number;
}

export interface SynonymFollower {
  /** The listener gets the synonyms after every change. Without a change, the included ones apply. */
  subscribe(receive: (synonymsOf: SynonymsOf) => void): void;
  stop(): void;
}

/** Reads the synonyms if their version has changed since the last call. Without any change, it publishes nothing. */
export function createSynonymReader(
  store: Pick<SynonymStore, "version" | "read">,
  publish: (synonymsOf: SynonymsOf) => void,
): () => Promise<void> {
  let version: string | undefined;
  return async () => {
    if ((await store.version()) === version) return;
    const stored = await store.read();
    const changes = stored ?? noChanges;
    publish((language) => compileRules(effectiveRules(changes, language), language));
    version = stored?.version;
  };
}

/** Polls the version in the store, whichever process or node changes it. Resolves after the first attempt. */
export async function followSynonyms({
  store: ownStore,
  shared,
  onError,
  pollMs = 1000,
}: FollowSynonymsSettings): Promise<SynonymFollower> {
  const stopping = new AbortController();
  const listeners: ((synonymsOf: SynonymsOf) => void)[] = [];
  let current: SynonymsOf | undefined;
  let hasFailed = false;
  // In a microtask, because the version may come at once.
  const pollSoon = () => queueMicrotask(() => void poll());
  const store = shared === undefined ? ownStore : shareVersion(ownStore, shared, pollSoon);

  const readNewest = createSynonymReader(store, (synonymsOf) => {
    current = synonymsOf;
    for (const receive of listeners) receive(synonymsOf);
  });

  const poll = async () => {
    try {
      await readNewest();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !stopping.signal.aborted) onError(error);
      hasFailed = true;
    }
  };
  const follow = async () => {
    const { signal } = stopping;
    while (!signal.aborted) {
      await pause(pollMs, signal);
      if (!signal.aborted) await poll();
    }
  };

  await poll();
  void follow();
  return {
    subscribe(receive) {
      listeners.push(receive);
      if (current !== undefined) receive(current);
    },
    stop: () => stopping.abort(),
  };
}
