import type { Kysely } from "kysely";
import type { SynonymStore } from "../../ports/synonym-store.ts";
import type { Database } from "../database/schema.ts";

export function createSqliteSynonymStore({ db }: { db: Kysely<Database> }): SynonymStore {
  const newest = (on: Kysely<Database>) =>
    on
      .selectFrom("synonyms")
      .select(({ fn }) => fn.max("edit").as("edit"))
      .executeTakeFirst();
  return {
    version: async () => (await newest(db))?.edit ?? 0,

    async edits() {
      const rows = await db.selectFrom("synonyms").selectAll().orderBy("edit").orderBy("rule").execute();
      const rulesOf = (state: string) => rows.filter((row) => row.state === state).map(({ rule }) => rule);
      return {
        version: rows.at(-1)?.edit ?? 0,
        added: rulesOf("added"),
        removed: rulesOf("removed"),
      };
    },

    async put(rules, state) {
      await db.transaction().execute(async (transaction) => {
        const edit = ((await newest(transaction))?.edit ?? 0) + 1;
        for (const rule of rules) {
          await transaction
            .insertInto("synonyms")
            .values({ rule, state, edit })
            .onConflict((conflict) => conflict.column("rule").doUpdateSet({ state, edit }))
            .execute();
        }
      });
    },
  };
}
