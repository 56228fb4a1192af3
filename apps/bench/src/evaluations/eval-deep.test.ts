import { expect, it } from "vitest";
import { evaluateDeepSearch } from "./eval-deep.ts";

it("meets all requirements on the sample catalog, and understands nearly every request", {
  timeout: 120_000,
}, async () => {
  const { report } = await evaluateDeepSearch();
  expect(report).toMatchObject({
    ungroundedAnswers: 0,
    brokenBounds: 0,
    brokenConstraints: 0,
    wrongCounts: 0,
    repeats: 0,
    fruitlessSuggestions: 0,
    ungroundedStatements: 0,
    refused: [],
  });
  expect(report.lies).toBeGreaterThanOrEqual(100);
  expect(report.requests).toBeGreaterThanOrEqual(150);
  expect(report.understood / report.requests).toBeGreaterThan(0.95);
  expect((report.blindTuned + report.blindHeld) / report.blind).toBeGreaterThan(0.85);
});
