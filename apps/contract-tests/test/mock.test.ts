import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runDredd } from "../src/run-dredd.ts";
import { expectFailures } from "./expect-failures.ts";

it("the mock meets the same contract as the service", async () => {
  const main = fileURLToPath(new URL("../../mock/src/main.ts", import.meta.url));
  const mock = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const baseUrl = await new Promise<string>((resolve, reject) => {
      let output = "";
      mock.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        const found = /http:\/\/[^\s]+\/api\/v1/.exec(output)?.[0];
        if (found) resolve(found);
      });
      mock.once("exit", (code) => reject(new Error(`The mock ended with ${code}: ${output}`)));
    });
    const results = await runDredd({ target: { baseUrl, token: "any" } });
    expectFailures(results, []);
    expect(results.filter(({ outcome }) => outcome === "passed").length).toBeGreaterThan(100);
  } finally {
    mock.kill("SIGTERM");
  }
});
