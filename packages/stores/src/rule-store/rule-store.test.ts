import { describeRuleStore } from "@product-search/testing/contracts/rule-store.ts";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlRuleStore } from "./rule-store.ts";

describeOnEachEngine("the rule store", (open) => {
  describeRuleStore(async (clock) => {
    const { db, close } = await open();
    return { store: createSqlRuleStore({ db, clock }), close };
  });
});
