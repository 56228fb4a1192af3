import { describe } from "vitest";
import { createMemoryRateBudget } from "../../../testing/memory-rate-budget.ts";
import { describeRateBudget } from "./contract.ts";

describe("the rate budget in memory, of tests", () => {
  describeRateBudget(async (clock) => ({
    budget: createMemoryRateBudget(clock).budget,
    close: async () => {},
  }));
});
