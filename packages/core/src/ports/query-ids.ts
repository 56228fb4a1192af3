/** The search to which a queryId belongs. */
export interface NamedSearch {
  atMs: number;
  /** `counted`: has a text that is not kept; `none`: has no text, and so is not counted. */
  text: { kind: "kept"; query: string } | { kind: "counted" } | { kind: "none" };
  /** What was searched for, or a list of what was shown; cut to nothing if there is no room. */
  request?: string;
}

/** Makes and reads the identifiers of searches. They carry what any node needs to join an event to its search. */
export interface QueryIds {
  make(search: NamedSearch): string;
  /** Undefined if it was not made with this deployment's key, or is too old. `id` is the same for all spellings of it. */
  read(queryId: string): { id: string; search: NamedSearch } | undefined;
}

export const queryIdLifetimeMs = 24 * 3600 * 1000;
/** In UTF-8. */
export const maxKeptBytes = 110;
/** In UTF-8. With it and a kept text, an identifier has less than 1,000 characters. */
export const maxRequestBytes = 600;
