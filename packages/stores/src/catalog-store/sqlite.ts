import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { type ApplySettings, createApply } from "./sqlite-apply.ts";
import { createReads } from "./sqlite-reads.ts";

/** The embedded catalog store. Statements are prepared once. A read takes microseconds, so it may run on any thread. */
export function createSqliteCatalogStore(settings: ApplySettings): CatalogStore {
  return { ...createReads(settings.connection, settings.clock), ...createApply(settings) };
}
