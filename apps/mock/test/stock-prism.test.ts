import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
let prism: ChildProcess;
let baseUrl: string;

beforeAll(async () => {
  prism = spawn(process.execPath, [main, "--engine", "prism", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  baseUrl = await addressOf(prism);
});
afterAll(async () => {
  prism.kill("SIGKILL");
  await once(prism, "exit");
});

/** Reads on after the address: Prism logs each request, and ends when nobody reads that. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (piece) => {
        output += piece;
        const address = /Prism is listening on (http:\S+)/.exec(output)?.[1];
        if (address) resolve(address);
      });
    }
    child.once("exit", () => reject(new Error(`Prism did not start: ${output}`)));
  });
}

it("the stock Prism gives the documented example that is asked for", async () => {
  const response = await fetch(`${baseUrl}/search/trial?q=mug`, { headers: { prefer: "code=429" } });
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ code: "rate_limited" });
});

it("the stock Prism responds to malformed JSON, which later versions of its server never do", async () => {
  const response = await fetch(`${baseUrl}/search/brands`, {
    method: "POST",
    headers: { authorization: "Bearer any", "content-type": "application/json" },
    body: '{"query": "nor',
    signal: AbortSignal.timeout(60_000),
  });
  expect(response.status).toBe(400);
});
