import { describeRuleStore } from "@product-search/testing/contracts/rule-store/contract.ts";
import { describe } from "vitest";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryRuleStore } from "./memory.ts";
import { createSqlRuleStore } from "./sql.ts";

describeOnEachEngine("the rule store", (open) => {
  describeRuleStore(async (clock) => {
    const { db, close } = await open();
    return { store: createSqlRuleStore({ db, clock }), close };
  });
});

describe("the rule store in memory", () => {
  describeRuleStore(async (clock) => ({
    store: createMemoryRuleStore({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
