import type { SynonymStore } from "@product-search/core/ports/synonym-store.ts";

type ReadSynonyms = Pick<SynonymStore, "version" | "read">;

/** How the threads of a node tell each other the version of the synonyms; undefined before the first change. */
export interface SharedVersion {
  /** Whether this thread reads it for all of them. */
  reads: boolean;
  publish(version: string | undefined): void;
  /** The listener gets the newest version at once, if there is one, and every later one. */
  subscribe(receive: (version: string | undefined) => void): void;
}

/** The store with a version that one thread of the node reads for all. `onVersion` is called when another one has. */
export function shareVersion(
  store: ReadSynonyms,
  { reads, publish, subscribe }: SharedVersion,
  onVersion: () => void,
): ReadSynonyms {
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
