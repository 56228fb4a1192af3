/** Something stored whole, whose version is different after every change. */
export interface VersionedStore<Stored> {
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
export function shareVersion<Stored>(
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
