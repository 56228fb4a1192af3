import { once } from "node:events";
import { connect } from "node:net";
import { Writable } from "node:stream";
import { ApiError } from "@product-search/core/errors.ts";
import { operations as table } from "@product-search/spec/operations";
import { exampleRequest, expectDocumented } from "@product-search/testing/spec-check.ts";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

describe("send error", () => {
  beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(1000));
  afterEach(() => void vi.restoreAllMocks());

  it("logs at most one line per second and code, with the number of errors not logged", async () => {
    const lines: { code: string; unlogged: number }[] = [];
    const sink = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    });
    const service = await createTestService({
      logger: pino(sink),
      environment: { TRIAL_RATE_LIMIT: "0" },
      handlers: (handlers) => ({
        ...handlers,
        searchTrial: () => Promise.reject(new ApiError("unavailable", "Not now.")),
      }),
    });
    const ask = () => service.app.inject("/api/v1/search/trial?q=mug");
    for (let count = 0; count < 5; count++) expect((await ask()).statusCode).toBe(503);
    expect(lines).toEqual([expect.objectContaining({ code: "unavailable", unlogged: 0 })]);
    vi.spyOn(performance, "now").mockReturnValue(2001);
    await ask();
    expect(lines.slice(1)).toEqual([expect.objectContaining({ code: "unavailable", unlogged: 4 })]);
    // Errors of the client are not logged, and no line repeats what it sent.
    for (const url of ["/nosuch", "/%zz", `/api/v1/search/trial?q=${"a".repeat(5000)}`]) {
      await service.app.inject({ url, method: "GET" });
    }
    expect(lines).toHaveLength(2);
    await service.close();
  });
});

describe("errors", () => {
  let service: TestService;
  let token: string;
  beforeAll(async () => {
    service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
    token = await service.token();
  });
  afterAll(() => service.close());

  const operations = Object.values(table);

  describe("404", () => {
    it("uses the search envelope for an unknown path", async () => {
      const response = await service.app.inject("/api/v1/nope?secret=1");
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({
        status: "error",
        code: "not_found",
        requestId: response.headers["x-request-id"],
      });
      expect(response.body).not.toContain("secret");
    });

    it.each(["/api/v1/webhooks/a/b/c", "/api/v1/webhooks/w/nope?x=1"])(
      "uses the webhook envelope for %s",
      async (path) => {
        const response = await service.app.inject(path);
        expect(response.statusCode).toBe(404);
        expect(response.json()).toMatchObject({ success: false, message: "Not found", code: "not_found" });
      },
    );

    it("does not use it for a path that only begins like /webhooks", async () => {
      expect((await service.app.inject("/api/v1/webhooksx")).json()).toMatchObject({ status: "error" });
    });

    it.each(["/api/v1/search/%zz", "/%"])("answers the malformed path %s", async (path) => {
      expect((await service.app.inject(path)).json()).toMatchObject({ status: "error", code: "not_found" });
    });
  });

  describe("503", () => {
    it.each(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "ENOSPC", "53100"])(
      "is returned for a change when the disk is full: %s",
      async (code) => {
        const full = await createTestService({
          handlers: (handlers) => ({
            ...handlers,
            createWebhook: () =>
              Promise.reject(Object.assign(new Error("database or disk is full"), { code })),
          }),
        });
        const response = await full.app.inject(exampleRequest("createWebhook", await full.token()));
        expectDocumented("createWebhook", 503, response);
        expect(response.headers["retry-after"]).toBe("30");
        expect(response.json().error).toContain("no disk space");
        await full.close();
      },
    );

    it.each(["55P03", "57014", "40P01"])(
      "is returned when PostgreSQL has rolled the change back: %s",
      async (code) => {
        const busy = await createTestService({
          handlers: (handlers) => ({
            ...handlers,
            createWebhook: () => Promise.reject(Object.assign(new Error("canceling statement"), { code })),
          }),
        });
        const response = await busy.app.inject(exampleRequest("createWebhook", await busy.token()));
        expectDocumented("createWebhook", 503, response);
        expect(response.headers["retry-after"]).toBe("2");
        expect(response.json().error).toContain("Send the request again.");
        await busy.close();
      },
    );
  });

  describe("tokens", () => {
    const search = (authorization: string) =>
      service.app.inject({ url: "/api/v1/search/marketplace-a", headers: { authorization } });

    it("expire", async () => {
      const short = await service.token({ lifetimeMs: 60_000 });
      expect((await search(`Bearer ${short}`)).statusCode).toBe(400);
      service.clock.nowMs += 60_001;
      expect((await search(`Bearer ${short}`)).json()).toMatchObject({
        code: "unauthorized",
        message: expect.stringContaining("expired"),
      });
    });

    it("stop working within a second when revoked", async () => {
      const lost = await service.token();
      expect((await search(`bearer ${lost}`)).statusCode).toBe(400);
      const record = (await service.stores.accountStore.listTokens()).at(-1);
      await service.stores.accountStore.revokeToken(record?.id ?? "");
      service.clock.nowMs += 1000;
      expect((await search(`Bearer ${lost}`)).json()).toMatchObject({
        code: "unauthorized",
        message: expect.stringContaining("revoked"),
      });
    });
  });

  describe("headers of the spec", () => {
    const bounded = operations.filter(({ idempotent }) => idempotent);
    it.each(bounded)("bind $operationId", async ({ operationId }) => {
      const example = exampleRequest(operationId, token);
      for (const key of ["", "k".repeat(256)]) {
        const headers = { ...example.headers, "idempotency-key": key };
        const response = await service.app.inject({ ...example, headers });
        expectDocumented(operationId, 400, response);
        expect(response.body).toContain("Idempotency-Key: is too");
      }
    });
  });
});

describe("broken requests", () => {
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
        (
          await post(
            "transfer-encoding: Chunked\r\n",
            `${brand.length.toString(16)}\r\n${brand}\r\n0\r\n\r\n`,
          )
        ).status,
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
});
