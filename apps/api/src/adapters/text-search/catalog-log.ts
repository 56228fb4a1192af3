import type { CatalogStore } from "../../ports/catalog-store.ts";

/** What the index reads of the catalog: all of it once, then what changed. */
export type CatalogLog = Pick<
  CatalogStore,
  "lastSequence" | "changesAfter" | "findByRowIds" | "scan" | "countBySource"
>;

/** Tells one catalog from another that was put in its place: a former one's index must not be believed. */
export async function catalogIdentity(log: CatalogLog): Promise<string> {
  const [first] = await log.scan(0, 1);
  return first === undefined ? "empty" : `${first.id} ${first.createdAtMs}`;
}

export async function countProducts(log: CatalogLog): Promise<number> {
  return Object.values(await log.countBySource()).reduce((sum, count) => sum + count, 0);
}
