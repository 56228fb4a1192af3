import { expect, it } from "vitest";
import { runDredd } from "../src/run-dredd.ts";
import { expectFailures } from "./expect-failures.ts";
import { startMockProcess } from "./mock-process.ts";

it("the mock meets the same contract as the service", async () => {
  const { baseUrl, stop } = await startMockProcess();
  try {
    const results = await runDredd({ target: { baseUrl, token: "any" } });
    expectFailures(results, []);
    expect(results.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThan(100);
  } finally {
    await stop();
  }
});
