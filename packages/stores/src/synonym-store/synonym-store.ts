import type { SynonymStore } from "@product-search/core/ports/merchandising.ts";
import type { Kysely } from "kysely";
import { type NewId, randomId } from "../database/random-id.ts";
import type { Database } from "../database/schema.ts";

export function createSqlSynonymStore({
  db,
  newId = randomId,
}: {
  db: Kysely<Database>;
  newId?: NewId;
}): SynonymStore {
  return {
    async version() {
      return (await db.selectFrom("synonyms").select("version").executeTakeFirst())?.version;
    },

    async read() {
      const row = await db.selectFrom("synonyms").selectAll().executeTakeFirst();
      return row && { version: row.version, added: toRules(row.added), removed: toRules(row.removed) };
    },

    async replace({ added, removed }, former) {
      const values = {
        version: newId("syn_"),
        added: JSON.stringify(added),
        removed: JSON.stringify(removed),
      };
      if (former === undefined) {
        const inserted = await db
          .insertInto("synonyms")
          .values({ slot: 1, ...values })
          .onConflict((conflict) => conflict.column("slot").doNothing())
          .executeTakeFirstOrThrow();
        return inserted.numInsertedOrUpdatedRows === 1n;
      }
      const updated = await db
        .updateTable("synonyms")
        .set(values)
        .where("version", "=", former)
        .executeTakeFirstOrThrow();
      return updated.numUpdatedRows === 1n;
    },
  };
}

function toRules(json: string): string[] {
  const rules: unknown = JSON.parse(json);
  if (Array.isArray(rules) && rules.every((rule) => typeof rule === "string")) return rules;
  throw new Error("The stored synonyms cannot be read.");
}
