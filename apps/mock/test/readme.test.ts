import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { documented } from "./documented.ts";
import { startMock } from "./start-mock.ts";

describe("readme", async () => {
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
});

describe("examples", async () => {
  const { baseUrl } = await startMock();
  const successes = documented.filter(({ status, type }) => status < 300 && type === "application/json");
  // No parameter of the catalog search is required, but one of several is.
  const addressOf = ({ operationId, path }: (typeof successes)[number]) =>
    `${baseUrl}${path}${operationId === "searchCatalog" ? "?q=mug" : ""}`;
  const operations = [...new Map(successes.map((one) => [one.operationId, one])).values()];

  it.each(operations)("the document's example of a request to $operationId succeeds", async (operation) => {
    const { method, body, status } = operation;
    const response = await fetch(addressOf(operation), {
      method,
      headers: {
        authorization: "Bearer any",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(response.status, await response.text()).toBe(status);
  });

  it("other identifiers are still unknown", async () => {
    const response = await fetch(`${baseUrl}/products/p_1`, { headers: { authorization: "Bearer any" } });
    expect(response.status).toBe(404);
  });
});
