import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documented } from "./documented.ts";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
// Prism posts callbacks to the target of a webhook that is created: to this machine, not to a stranger.
const receiver = createServer((_request, response) => response.end());
let prism: ChildProcess;
let baseUrl: string;

beforeAll(async () => {
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  prism = spawn(process.execPath, [main, "--engine", "prism", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  baseUrl = await addressOf(prism);
});
afterAll(async () => {
  prism.kill("SIGKILL");
  await once(prism, "exit");
  receiver.closeAllConnections();
  receiver.close();
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

describe("the stock Prism gives every documented example:", () => {
  it.each(documented)("$operationId $status $type $example", async (documentedCase) => {
    const { method, path, status, type, body } = documentedCase;
    const { port } = receiver.address() as AddressInfo;
    const target = documentedCase.operationId === "createWebhook" && {
      webhookUrl: `http://127.0.0.1:${port}/`,
    };
    const example = documentedCase.example === undefined ? "" : `, example=${documentedCase.example}`;
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: "Bearer any",
        accept: type,
        prefer: `code=${status}${example}`,
        ...(typeof body === "object" && { "content-type": "application/json" }),
      },
      ...(typeof body === "object" && { body: JSON.stringify({ ...body, ...target }) }),
    });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(type === "application/json" ? JSON.parse(text) : text).toEqual(documentedCase.value);
  });
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
