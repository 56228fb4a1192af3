import { once } from "node:events";
import { request, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { Worker } from "node:worker_threads";
import { operations, usualMaxBodyBytes } from "@product-search/spec/operations";
import type { UploadClients } from "@product-search/testing/images/upload-clients.ts";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";
import { connectionLimits } from "../connections/connection-limits.ts";
import { createBodyBudget } from "./request-bodies.ts";

/** How often the holder can reserve this many bytes. */
function fill(budget: ReturnType<typeof createBodyBudget>, holder: string, bytes: number): number {
  let count = 0;
  while (budget.reserve(holder, bytes)) count += 1;
  return count;
}

describe("a body budget", () => {
  it("gives one holder half and leaves memory for others", () => {
    const budget = createBodyBudget(64);
    expect(fill(budget, "a", 8)).toBe(4);
    expect(fill(budget, "b", 8)).toBe(2);
    expect(fill(budget, "c", 8)).toBe(1);
  });

  it("frees what is released", () => {
    const budget = createBodyBudget(64);
    for (let round = 0; round < 3; round++) {
      expect(fill(budget, "a", 8)).toBe(4);
      for (let count = 0; count < 4; count++) budget.release("a", 8);
    }
    expect(budget.reserve("b", 64)).toBe(true);
  });

  it("refuses what is larger than the budget", () => {
    expect(createBodyBudget(64).reserve("a", 65)).toBe(false);
  });
});

describe("body limits", () => {
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
      const sent = sendRequest(
        { port, host: "127.0.0.1", method, path, headers, agent: false },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        },
      );
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
});

describe("upload burst", () => {
  const megabyte = 1024 * 1024;
  let service: TestService;
  let token: string;
  let port: number;
  beforeAll(async () => {
    // Memory for two uploads at a time.
    service = await createTestService({ limits: { largeBudgetBytes: 16 * megabyte } });
    token = await service.token();
    port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
  });
  afterAll(() => service.close());

  /** The statuses that clients get. The clients run on their own thread, so that they do not wait for the service's. */
  async function burst(readsWhileSending: boolean, headers: string): Promise<number[]> {
    const workerData: UploadClients = {
      port,
      count: 100,
      bytes: 4 * megabyte,
      readsWhileSending,
      head: `POST /api/v1/vectorize-image HTTP/1.1\r\nhost: service.test\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${headers}`,
    };
    const clients = new Worker(
      new URL("../../../../../packages/testing/src/images/upload-clients.ts", import.meta.url),
      {
        workerData,
      },
    );
    const [statuses] = await once(clients, "message");
    return statuses;
  }

  it.each([
    ["read while they send", true, ""],
    ["read when all is sent", false, ""],
    ["read when all is sent and want the connection closed", false, "connection: close\r\n"],
  ])("in a burst of uploads, refused clients that %s can read why", async (_, readsWhileSending, headers) => {
    const statuses = await burst(readsWhileSending, headers);
    const count = (status: number) => statuses.filter((one) => one === status).length;
    expect(count(503)).toBeGreaterThan(20);
    // The admitted uploads get an error, because their body is not JSON.
    expect(count(503)).toBeGreaterThanOrEqual(0.95 * (statuses.length - count(400)));
  });
});

describe("upload room", () => {
  let service: TestService;
  let token: string;
  let port: number;
  beforeAll(async () => {
    service = await createTestService({ environment: { TRUST_PROXY: "127.0.0.1,::1" } });
    token = await service.token();
    await service.app.listen({ port: 0 });
    port = (service.app.server.address() as AddressInfo).port;
  });
  afterAll(() => service.close());

  const megabyte = 1024 * 1024;
  /** A long timeout, because other suites may use the same cores. */
  const longTest = { timeout: 30_000 };

  /** Announces a body and does not send it. */
  function announce(headers: Record<string, string | number>) {
    const upload = request({
      port,
      method: "POST",
      path: "/api/v1/vectorize-image",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    });
    const responded = new Promise<{ status: number | undefined; retryAfter: string | undefined }>(
      (resolve) => {
        upload.on("response", (response) => {
          response.resume();
          resolve({ status: response.statusCode, retryAfter: response.headers["retry-after"] });
        });
        upload.on("error", () => resolve({ status: undefined, retryAfter: undefined }));
      },
    );
    upload.flushHeaders();
    return { upload, responded };
  }

  it("refuses uploads above a token's share of the memory until others have ended", async () => {
    const size = 8 * megabyte;
    const fitting = Array.from({ length: connectionLimits.largeBudgetBytes / 2 / size }, () =>
      announce({ "content-length": size }),
    );
    await vi.waitFor(async () => {
      const tooMuch = announce({ "content-length": megabyte });
      const { status, retryAfter } = await Promise.race([
        tooMuch.responded,
        new Promise<{ status: number; retryAfter?: string }>((resolve) =>
          setTimeout(resolve, 500, { status: 0 }),
        ),
      ]);
      tooMuch.upload.destroy();
      expect(status).toBe(503);
      expect(retryAfter).toBe("1");
    }, longTest);
    for (const { upload } of fitting) upload.destroy();
    await vi.waitFor(async () => {
      const { upload, responded } = announce({ "transfer-encoding": "chunked" });
      upload.end('{"base64String":"YWJj"}');
      expect((await responded).status).toBe(400);
    }, longTest);
    const received = await service.app.inject("/metrics");
    expect(received.body).toMatch(/^product_search_http_requests_in_flight 1$/m);
  });

  it("gives each address its own share of the memory if they use one public token", async () => {
    const shared = await service.token({ scopes: ["search"], publicOrigins: ["*"] });
    const from = (address: string) => ({ authorization: `Bearer ${shared}`, "x-forwarded-for": address });
    const size = 8 * megabyte;
    const held = Array.from({ length: connectionLimits.largeBudgetBytes / 2 / size }, () =>
      announce({ ...from("203.0.113.7"), "content-length": size }),
    );
    const begins = async (address: string) => {
      const { upload, responded } = announce({ ...from(address), "content-length": megabyte });
      const waited = new Promise<{ status: number }>((resolve) => setTimeout(resolve, 500, { status: 0 }));
      const { status } = await Promise.race([responded, waited]);
      upload.destroy();
      return status;
    };
    await vi.waitFor(async () => expect(await begins("203.0.113.7")).toBe(503), longTest);
    // It is admitted, and waits for the rest of its body.
    expect(await begins("203.0.113.8")).toBe(0);
    for (const { upload } of held) upload.destroy();
  });
});
