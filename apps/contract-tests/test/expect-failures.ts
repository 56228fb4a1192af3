import { expect } from "vitest";
import { summary } from "../src/main.ts";
import type { Result } from "../src/run-dredd.ts";

/** Expects exactly these failures, each written as operation and status. */
export function expectFailures(results: Result[], expected: string[]): void {
  const failures = results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ operationId, status }) => `${operationId} ${status}`);
  expect(failures, summary(results)).toEqual(expected);
}
