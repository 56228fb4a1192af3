import type { Clock } from "@product-search/core/ports/clock.ts";
import type { Kysely } from "kysely";
import type { Database } from "../database/schema.ts";

export interface PostgresProductImageStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
}
