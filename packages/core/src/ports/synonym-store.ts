/** The operator's changes to the included synonyms. A rule is a line: "couch, sofa" or "sneakers => running shoes". */
export interface SynonymChanges {
  added: readonly string[];
  /** Included rules that do not apply. */
  removed: readonly string[];
}

export interface StoredSynonyms extends SynonymChanges {
  /** Different after every change. */
  version: string;
}

/** Stored with the catalog; all processes and nodes on one database share it. */
export interface SynonymStore {
  /** Undefined before the first change. */
  version(): Promise<string | undefined>;
  read(): Promise<StoredSynonyms | undefined>;
  /** Replaces all changes. False, without an effect, if another process has changed the version `former`. */
  replace(changes: SynonymChanges, former: string | undefined): Promise<boolean>;
}
