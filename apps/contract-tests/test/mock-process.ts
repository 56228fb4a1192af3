import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../mock/src/main.ts", import.meta.url));

/** Starts the mock as partners do, on a free port. */
export async function startMockProcess(): Promise<{ baseUrl: string; stop(): Promise<void> }> {
  const mock = spawn(process.execPath, [main, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const baseUrl = await new Promise<string>((resolve, reject) => {
    let output = "";
    mock.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const address = /http:\/\/[^\s]+\/api\/v1/.exec(output)?.[0];
      if (address) resolve(address);
    });
    mock.once("exit", (code) => reject(new Error(`The mock ended with ${code}: ${output}`)));
  });
  return {
    baseUrl,
    async stop() {
      mock.kill("SIGTERM");
    },
  };
}
