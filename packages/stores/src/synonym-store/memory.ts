import type { SynonymStore } from "@product-search/core/ports/synonyms.ts";
import type { MemoryDatabase } from "../database/memory/memory.ts";

/** The one row. */
const slot = 1;

export function createMemorySynonymStore({ database }: { database: MemoryDatabase }): SynonymStore {
  const { synonyms } = database.tables;
  return {
    version: async () => synonyms.get(slot)?.version,
    read: async () => synonyms.get(slot),
    replace: async ({ added, removed }, former) => {
      if (synonyms.get(slot)?.version !== former) return false;
      synonyms.set(slot, { added, removed, version: `syn_${database.next("synonyms")}` });
      return true;
    },
  };
}
