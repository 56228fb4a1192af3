import { describe, expect, it } from "vitest";
import { createBodyBudget } from "./request-bodies.ts";

/** How often the holder can reserve this many bytes. */
function fill(budget: ReturnType<typeof createBodyBudget>, holder: string, bytes: number): number {
  let count = 0;
  while (budget.reserve(holder, bytes)) count += 1;
  return count;
}

describe("a body budget", () => {
  it("gives one holder half and leaves memory for others", () => {
    const budget = createBodyBudget(64);
    expect(fill(budget, "a", 8)).toBe(4);
    expect(fill(budget, "b", 8)).toBe(2);
    expect(fill(budget, "c", 8)).toBe(1);
  });

  it("frees what is released", () => {
    const budget = createBodyBudget(64);
    for (let round = 0; round < 3; round++) {
      expect(fill(budget, "a", 8)).toBe(4);
      for (let count = 0; count < 4; count++) budget.release("a", 8);
    }
    expect(budget.reserve("b", 64)).toBe(true);
  });

  it("refuses what is larger than the budget", () => {
    expect(createBodyBudget(64).reserve("a", 65)).toBe(false);
  });
});
