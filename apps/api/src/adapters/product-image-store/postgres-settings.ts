import type { Kysely } from "kysely";
import type { Clock } from "../../ports/clock.ts";
import type { Database } from "../database/schema.ts";

export interface PostgresProductImageStoreSettings {
  db: Kysely<Database>;
  clock: Clock;
}
