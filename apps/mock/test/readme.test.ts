import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { startMock } from "./start-mock.ts";

const { port } = await startMock();

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
const blocks = /```sh\n(curl [\s\S]*?)\n```(?:\n\n```json\n([\s\S]*?)\n```)?/g;
const examples = [...readme.matchAll(blocks)].map(([, command = "", shown]) => ({ command, shown }));

it.each(examples)("runs as written: $command", async ({ command, shown }) => {
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    command.replace("localhost:4010", `127.0.0.1:${port}`),
  ]);
  const response: unknown = JSON.parse(stdout);
  if (shown === undefined) expect(stdout).toMatch(/"status":\s*"success"|"success":\s*true/);
  else expect(response).toEqual(withAnyRequestId(JSON.parse(shown)));
});

/** Each response has one of its own. */
function withAnyRequestId(body: object): object {
  return "requestId" in body ? { ...body, requestId: expect.any(String) } : body;
}
