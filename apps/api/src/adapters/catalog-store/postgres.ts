import type { CatalogStore } from "../../ports/catalog-store.ts";
import { createPostgresApply, type PostgresApplySettings } from "./postgres/apply.ts";
import { createPostgresReads } from "./postgres/reads.ts";

/** The catalog store of a service with several nodes. */
export function createPostgresCatalogStore(settings: PostgresApplySettings): CatalogStore {
  return { ...createPostgresReads(settings.db, settings.clock), ...createPostgresApply(settings) };
}
