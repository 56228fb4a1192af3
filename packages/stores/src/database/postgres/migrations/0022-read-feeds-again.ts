import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/**
 * Forgets the versions of feeds, so that the next fetch reads a feed that has not changed: this release keeps columns of it
 * that the former one ignored.
 */
export const readFeedsAgain: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    for (const table of ["feeds", "feed_pulls", "imports"])
      await sql`update ${sql.table(table)} set etag = null, last_modified = null`.execute(db);
  },
};
