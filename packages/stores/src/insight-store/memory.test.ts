import { describeInsightStore } from "@product-search/testing/contracts/insight-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryInsightStore } from "./memory.ts";

describe("the insight store in memory", () => {
  describeInsightStore(async (limits) => {
    const database = createMemoryDatabase();
    return {
      store: createMemoryInsightStore({ database, limits }),
      async addProducts(ids) {
        ids.forEach((id, row) => void database.tables.productRows.set(id, row));
      },
      close: async () => {},
    };
  });
});
