/**
 * Notes which products were written directly, not by a feed, and when. An import whose feed was fetched before leaves such a
 * product as it is, whether the direct write changed it, deleted it, or found it as it should be.
 */
export interface WrittenProducts {
  /** Call it before the products are written: an import may apply its rows at the same time. By `_id`, with the time of the database. */
  note(productIds: readonly string[]): Promise<void>;
  /** Forgets at most `limit` notes that are older than any import that is still to be applied; returns how many. */
  removeExpired(limit: number): Promise<number>;
}
