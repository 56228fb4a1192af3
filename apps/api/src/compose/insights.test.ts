import { expect, it } from "vitest";
import { composeEventReport } from "./insights.ts";

it("reports events that did not count, by why, in one line a minute, and no repetitions", () => {
  let nowMs = 1_000_000;
  const lines: Readonly<Record<string, number>>[] = [];
  const report = composeEventReport((dropped) => lines.push(dropped), { now: () => nowMs });
  for (const outcome of ["counted", "repeated", "daily_limit"] as const) report(outcome);
  expect(lines).toEqual([{ daily_limit: 1 }]);
  for (const outcome of ["daily_limit", "overload", "daily_limit", "counted"] as const) report(outcome);
  nowMs += 59_000;
  report("unknown_product");
  expect(lines).toHaveLength(1);
  nowMs += 1000;
  report("overload");
  expect(lines.slice(1)).toEqual([{ daily_limit: 2, overload: 2, unknown_product: 1 }]);
});
