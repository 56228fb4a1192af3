import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Languages } from "@product-search/text-index";
import { languagesIdentity } from "./service-languages.ts";

/** How the index reads the catalog: all of it once, then the changes. */
export type CatalogLog = Pick<
  CatalogStore,
  "lastSequence" | "changesAfter" | "findByRowIds" | "scan" | "countBySource"
>;

/** Identifies the catalog and its languages: an index of another catalog, or in other languages, must not be used. */
export async function catalogIdentity(log: CatalogLog, languages: Languages): Promise<string> {
  const [first] = await log.scan(0, 1);
  return `${first === undefined ? "empty" : `${first.id} ${first.createdAtMs}`}${languagesIdentity(languages)}`;
}

export async function countProducts(log: Pick<CatalogLog, "countBySource">): Promise<number> {
  return Object.values(await log.countBySource()).reduce((sum, count) => sum + count, 0);
}
