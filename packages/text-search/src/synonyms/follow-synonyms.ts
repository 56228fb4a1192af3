import { createVersionReader, followVersion } from "@product-search/core/mechanisms/follow-version.ts";
import type { SharedVersion } from "@product-search/core/mechanisms/share-version.ts";
import type { StoredSynonyms, SynonymStore } from "@product-search/core/ports/synonym-store.ts";
import type { UntilChange } from "@product-search/core/ports/until-change.ts";
import type { SynonymsOf } from "../newest-index.ts";
import { compileRules, effectiveRules, noChanges } from "./effective-rules.ts";

export interface FollowSynonymsSettings {
  store: Pick<SynonymStore, "version" | "read">;
  /** For one of several threads of a node. */
  shared?: SharedVersion | undefined;
  /** Called once per interruption; until it ends, the last known synonyms apply. */
  onError(error: unknown): void;
  pollMs?: number;
  untilChange?: UntilChange;
}

export interface SynonymFollower {
  /** The listener gets the synonyms after every change. Without a change, the included ones apply. */
  subscribe(receive: (synonymsOf: SynonymsOf) => void): void;
  stop(): void;
}

function synonymsOfStored(stored: StoredSynonyms | undefined): SynonymsOf {
  const changes = stored ?? noChanges;
  return (language) => compileRules(effectiveRules(changes, language), language);
}

/** Reads the synonyms if they have changed since the last call, and publishes them. */
export function createSynonymReader(
  store: Pick<SynonymStore, "version" | "read">,
  publish: (synonymsOf: SynonymsOf) => void,
): () => Promise<void> {
  return createVersionReader(store, (stored) => {
    publish(synonymsOfStored(stored));
    return stored?.version;
  });
}

/** Follows the changes of operators. Resolves after the first attempt to read them. */
export async function followSynonyms(settings: FollowSynonymsSettings): Promise<SynonymFollower> {
  const listeners: ((synonymsOf: SynonymsOf) => void)[] = [];
  let current: SynonymsOf | undefined;
  const stop = await followVersion<StoredSynonyms | undefined>({
    ...settings,
    receive(stored) {
      current = synonymsOfStored(stored);
      for (const listener of listeners) listener(current);
      return stored?.version;
    },
  });
  return {
    subscribe(receive) {
      listeners.push(receive);
      if (current !== undefined) receive(current);
    },
    stop,
  };
}
