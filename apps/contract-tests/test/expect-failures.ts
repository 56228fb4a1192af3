import { expect } from "vitest";
import { summary } from "../src/report.ts";
import type { Result } from "../src/run-dredd.ts";

/** Expects exactly these failures, each written as operation and status. */
export function expectFailures(results: Result[], expected: string[]): void {
  const failed = results.filter(({ outcome }) => outcome === "failed");
  const names = failed.map(({ operationId, status }) => `${operationId} ${status}`);
  const unexpected = failed.filter((_, index) => !expected.includes(names[index] ?? ""));
  expect(names, summary(unexpected)).toEqual(expected);
}
