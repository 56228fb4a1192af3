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

interface ListedSynonym {
  rule: string;
  /** `removed`: an included rule that does not apply. */
  origin: "included" | "added" | "removed";
}

/** What an edit stores. It replaces all changes if the stored version is still `former`. */
export interface SynonymEdit {
  changes: SynonymChanges;
  former: string | undefined;
  /** Rules that apply now and did not before. */
  added: readonly string[];
  /** Rules that no longer apply. */
  removed: readonly string[];
}

/** Stores an edit. False, without an effect, if another process has changed the synonyms meanwhile. */
export type SaveSynonyms = (edit: SynonymEdit) => Promise<boolean>;

export interface AddedSynonyms {
  /** The rules that did not apply before. */
  added: string[];
  /** All rules of the text, as they are listed now. */
  rules: ListedSynonym[];
}

/** Reads and changes the rules for synonyms. What is refused is an `ApiError`. */
export interface SynonymEditor {
  /** In alphabetical order. */
  list(): Promise<ListedSynonym[]>;
  /** Adds rules, one per line. If one is refused, none is added. */
  add(text: string, save: SaveSynonyms): Promise<AddedSynonyms>;
  /** Removes one rule and returns it as it was listed. */
  remove(line: string, save: SaveSynonyms): Promise<string>;
}
