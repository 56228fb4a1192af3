import { type Kysely, sql } from "kysely";
import type { Database } from "../../schema.ts";
import type { PostgresMigration } from "./migration.ts";

/** The models that nodes search or describe images with: their vectors are kept. */
export const imageModels: PostgresMigration = {
  needs: 1,
  async up(db: Kysely<Database>): Promise<void> {
    await sql
      .raw(`create table image_models (model text collate "C" primary key, used_until bigint not null)`)
      .execute(db);
  },
};
