/** What an operator changed of the synonyms: rules such as "couch, sofa" and "sneakers => running shoes". */
export interface SynonymEdits {
  /** Rises with every change. */
  version: number;
  added: readonly string[];
  /** Rules that were shipped, or added before, and no longer hold. */
  removed: readonly string[];
}

/** Keeps the changes to synonyms with the catalog. A rule is a line of text; whoever writes it sees to its form. */
export interface SynonymStore {
  edits(): Promise<SynonymEdits>;
  version(): Promise<number>;
  /** Each rule is added or removed from now on, whatever it was before. */
  put(rules: readonly string[], state: "added" | "removed"): Promise<void>;
}
