import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let token: string;
let port: number;
beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
  token = await service.token();
  port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => service.close());

interface Response {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** Writes the text to a new connection and reads until the service closes it. */
async function send(text: string): Promise<Response> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => {
    received += chunk;
  });
  socket.write(text);
  await once(socket, "close");
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(" ")[1]), headers: new Map(headers), body };
}

const get = (path: string, headers = "host: service.test\r\n") =>
  send(`GET ${path} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`);
const post = (headers: string, body: string) =>
  send(
    `POST /api/v1/search/brands HTTP/1.1\r\nhost: service.test\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\nconnection: close\r\n${headers}\r\n${body}`,
  );
const brand = JSON.stringify({ query: "no such brand" });
const length = `content-length: ${brand.length}\r\n`;

/** The usual body, with the same identifier as the header. */
function expectError({ headers, body }: Response, code: string, message: RegExp): void {
  const error = JSON.parse(body);
  expect(error).toEqual({
    status: "error",
    code,
    message: expect.stringMatching(message),
    requestId: expect.stringMatching(/^[\w.:-]+$/),
  });
  expect(headers.get("x-request-id")).toBe(error.requestId);
  expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(Number(headers.get("content-length"))).toBe(Buffer.byteLength(body));
}

describe("400", () => {
  it("for two Host headers", async () => {
    const response = await get("/api/v1/search/trial?q=mug", "host: service.test\r\nHost: other.test\r\n");
    expect(response.status).toBe(400);
    expectError(response, "invalid_request", /^Host: /);
  });

  it("for a missing Host header, except in HTTP/1.0", async () => {
    const response = await get("/api/v1/search/trial?q=mug", "");
    expect(response.status).toBe(400);
    expectError(response, "invalid_request", /^Host: is missing/);
    expect((await send("GET /healthz HTTP/1.0\r\n\r\n")).status).toBe(200);
  });

  it("for a transfer coding other than chunked", async () => {
    const response = await post("transfer-encoding: gzip, chunked\r\n", "2\r\n{}\r\n0\r\n\r\n");
    expect(response.status).toBe(400);
    expectError(response, "invalid_request", /^Transfer-Encoding: /);
    expect(
      (await post("transfer-encoding: Chunked\r\n", `${brand.length.toString(16)}\r\n${brand}\r\n0\r\n\r\n`))
        .status,
    ).toBe(404);
  });

  it.each(["%zz", "%", "%e2%82", "a%ff"])("for %s in a query", async (text) => {
    const response = await get(`/api/v1/search/trial?q=${text}`);
    expect(response.status).toBe(400);
    expectError(response, "invalid_request", /^query: /);
  });

  it("for a request that is not HTTP", async () => {
    const response = await send("nonsense\r\n\r\n");
    expect(response.status).toBe(400);
    expectError(response, "invalid_request", /HTTP/);
  });
});

it("404 for CONNECT, which has no path", async () => {
  const response = await send("CONNECT example.com:443 HTTP/1.1\r\nhost: example.com\r\n\r\n");
  expect(response.status).toBe(404);
  expectError(response, "not_found", /CONNECT/);
});

it("415 for an encoded body", async () => {
  const response = await post(`content-encoding: gzip\r\n${length}`, brand);
  expect(response.status).toBe(415);
  expectError(response, "unsupported_media_type", /^Content-Encoding: /);
  expect(response.headers.get("accept-encoding")).toBe("identity");
  expect((await post(`content-encoding: identity\r\n${length}`, brand)).status).toBe(404);
});

describe("417", () => {
  it("for an unsupported expectation", async () => {
    const response = await post(`expect: 200-ok\r\n${length}`, brand);
    expect(response.status).toBe(417);
    expectError(response, "expectation_failed", /^Expect: /);
  });

  it("uses the envelope of the path", async () => {
    const { body } = await send(
      "POST /api/v1/webhooks HTTP/1.1\r\nhost: service.test\r\nexpect: x\r\nconnection: close\r\n\r\n",
    );
    expect(JSON.parse(body)).toMatchObject({ success: false, code: "expectation_failed" });
  });
});

it("sends 100 only if the body will be read", async () => {
  const accepted = await post(`expect: 100-continue\r\n${length}`, brand);
  expect(accepted.status).toBe(100);
  const refused = await send(
    `POST /nosuch HTTP/1.1\r\nhost: service.test\r\nexpect: 100-continue\r\nconnection: close\r\n${length}\r\n`,
  );
  expect(refused.status).toBe(404);
});

it("431 for headers of more than 16 kB", async () => {
  const response = await get("/healthz", `host: service.test\r\nx-long: ${"a".repeat(20_000)}\r\n`);
  expect(response.status).toBe(431);
  expectError(response, "headers_too_large", /16 kB/);
});

it("408 for endless headers", async () => {
  const impatient = await createTestService({ limits: { headersTimeoutMs: 100, checkEveryMs: 20 } });
  const url = await impatient.app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
  const responded = once(socket.setEncoding("utf8"), "data");
  socket.write("GET /healthz HTTP/1.1\r\n");
  const [text] = await responded;
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(JSON.parse(String(text).split("\r\n\r\n")[1] ?? "")).toMatchObject({
    code: "request_timeout",
    requestId: expect.any(String),
  });
  await impatient.close();
});
