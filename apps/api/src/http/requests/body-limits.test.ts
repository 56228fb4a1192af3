import { request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { operations, usualMaxBodyBytes } from "@product-search/spec/operations";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let port: number;
let token: string;
beforeAll(async () => {
  service = await createTestService({ environment: { AGENT_ACCESS: "public", TRIAL_RATE_LIMIT: "0" } });
  token = await service.token();
  await service.app.listen({ port: 0, host: "127.0.0.1" });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

const kilobyte = 1024;

it("the limits are those of the contract", () => {
  const larger = Object.values(operations).filter(({ maxBodyBytes }) => maxBodyBytes !== 64 * kilobyte);
  const limits = Object.fromEntries(
    larger.map(({ operationId, maxBodyBytes }) => [operationId, maxBodyBytes]),
  );
  expect(limits).toMatchObject({
    deepSearch: 128 * kilobyte,
    createRule: 512 * kilobyte,
    replaceRule: 512 * kilobyte,
    orderRules: 512 * kilobyte,
    previewRule: 512 * kilobyte,
    createWebhook: 512 * kilobyte,
    rotateWebhookKey: 512 * kilobyte,
    vectorizeImage: 10_240 * kilobyte,
    detectObjects: 10_240 * kilobyte,
    upsertProducts: 10_240 * kilobyte,
  });
});

interface Reply {
  status: number;
  text: string;
}

/** Sends what is no JSON: who parses it responds with 400. */
function send(method: string, path: string, bytes: number, isChunked: boolean): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = {
      host: "service.test",
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      ...(!isChunked && { "content-length": bytes }),
    };
    const sent = sendRequest({ port, host: "127.0.0.1", method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on("error", reject);
    const body = Buffer.alloc(bytes, "{");
    // What is written before the end is sent in chunks, if no length is announced.
    sent.write(body.subarray(0, -1));
    sent.end(body.subarray(-1));
  });
}

const bySize = Map.groupBy(
  Object.values(operations).filter(({ body }) => body !== "none"),
  ({ maxBodyBytes }) => maxBodyBytes,
);

/** One operation of each limit; every-operation.test.ts has them all. */
const targets = [
  ...[...bySize.values()]
    .flatMap(([first]) => (first === undefined ? [] : [first]))
    .map(({ operationId, method, path, maxBodyBytes }) => ({
      name: operationId,
      method,
      path: `/api/v1${path.replaceAll(/\{\w+\}/g, "one")}`,
      maxBodyBytes,
    })),
  { name: "the tools for agents", method: "POST", path: "/mcp", maxBodyBytes: usualMaxBodyBytes },
  { name: "UCP's search", method: "POST", path: "/ucp/catalog/search", maxBodyBytes: usualMaxBodyBytes },
];

describe.each(targets)("$name", ({ method, path, maxBodyBytes }) => {
  it.each([
    ["announced", false],
    ["sent in chunks", true],
  ])("refuses a larger body before it is parsed (%s), and parses no smaller one", async (_, isChunked) => {
    const { status, text } = await send(method, path, maxBodyBytes + 1, isChunked);
    expect({ status, text }).toMatchObject({ status: 413 });
    expect(text).toContain(`larger than ${maxBodyBytes} bytes`);
    expect(text).toContain('"payload_too_large"');
    expect((await send(method, path, maxBodyBytes, isChunked)).status).toBe(400);
  });
});

describe("many unknown members", () => {
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`u${at}`, 1]));
  const post = (url: string, payload: object) =>
    service.app.inject({
      method: "POST",
      url,
      headers: { host: "service.test", authorization: `Bearer ${token}` },
      payload,
    });

  it.each([
    ["/api/v1/deep-search", { query: "a mug", ...unknown(6000) }],
    [
      "/mcp",
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "ask", arguments: { question: "a mug", ...unknown(5000) } },
      },
    ],
  ])("%s refuses the first one", async (url, payload) => {
    await post(url, payload);
    const { user, system } = process.cpuUsage();
    const response = await post(url, payload);
    const used = process.cpuUsage({ user, system });
    expect(response.body).toMatch(/u0|additional/);
    expect(response.body).not.toContain("u1");
    expect((used.user + used.system) / 1000).toBeLessThan(150);
  });
});
