import { describeSynonymStore } from "@product-search/testing/contracts/synonym-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemorySynonymStore } from "./memory.ts";

describe("the synonym store in memory", () => {
  describeSynonymStore(async () => {
    const database = createMemoryDatabase();
    return {
      one: createMemorySynonymStore({ database }),
      other: createMemorySynonymStore({ database }),
      close: async () => {},
    };
  });
});
