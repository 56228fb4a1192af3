import { describeRuleStore } from "@product-search/testing/contracts/rule-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryRuleStore } from "./memory.ts";

describe("the rule store in memory", () => {
  describeRuleStore(async (clock) => ({
    store: createMemoryRuleStore({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
