import type { Kysely } from "kysely";
import type { Database } from "../../schema.ts";

export interface PostgresMigration {
  /**
   * The oldest program version, a number of migrations, that runs on the tables after this one. Raise it only when something is
   * taken away, a release after the last one that used it: nodes of two releases run on the same tables during an upgrade.
   */
  needs: number;
  up(db: Kysely<Database>): Promise<void>;
}
