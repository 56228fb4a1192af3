import type { Result } from "../src/run-dredd.ts";

/** The failures, each as operation and status. */
export function failuresOf(results: Result[]): string[] {
  return results
    .filter(({ outcome }) => outcome === "failed")
    .map(({ operationId, status }) => `${operationId} ${status}`);
}
