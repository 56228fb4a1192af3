import { describeRateBudget } from "@product-search/testing/contracts/rate-budget/contract.ts";
import { createMemoryRateBudget } from "@product-search/testing/memory-rate-budget.ts";
import { describe } from "vitest";

describe("the rate budget in memory, of tests", () => {
  describeRateBudget(async (clock) => ({
    budget: createMemoryRateBudget(clock).budget,
    close: async () => {},
  }));
});
