import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { createPostgresApply, type PostgresApplySettings } from "./postgres/apply.ts";
import { createPostgresReads } from "./postgres/reads.ts";

/** Writers lock only the products that they change; a transaction is mostly round trips and one write to disk. */
const pace = { targetMs: 100, pauseFactor: 0 };

/** The catalog store of a service with several nodes. */
export function createPostgresCatalogStore(settings: PostgresApplySettings): CatalogStore {
  return { pace, ...createPostgresReads(settings.db, settings.clock), ...createPostgresApply(settings) };
}
