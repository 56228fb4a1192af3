import { once } from "node:events";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let port: number;
let attacker: string;
let partner: string;
const attackerAddress = "127.0.0.2";
const partnerAddress = "127.0.0.3";
const open: Socket[] = [];

beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "120/60", TOKEN_RATE_LIMIT: "0" } });
  attacker = await service.token({ account: "attacker" });
  partner = await service.token({ account: "partner" });
  await service.app.listen({ port: 0, host: "127.0.0.1" });
  port = (service.app.server.address() as AddressInfo).port;
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => service.close());

const megabyte = 1024 * 1024;

interface SlowSender {
  /** The response of the service so far. */
  received(): string;
  status(): number;
}

/** Sends the headers of a request and one byte of its body, then nothing more. */
async function sendSlowly(head: string): Promise<SlowSender> {
  const firstByte = head.includes("chunked") ? "1\r\n{\r\n" : "{";
  const socket = connect({ port, host: "127.0.0.1", localAddress: attackerAddress });
  open.push(socket);
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`${head}host: service.test\r\n\r\n${firstByte}`);
  return { received: () => received, status: () => Number(received.split(" ")[1] ?? 0) };
}

const slowSenders = (count: number, head: string) =>
  Promise.all(Array.from({ length: count }, () => sendSlowly(head)));

const upload = (token: string, bytes: number, path = "/api/v1/vectorize-image") =>
  `POST ${path} HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n`;

/** A complete request of the partner; returns the status of its response. */
function ask(path: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: "127.0.0.1",
      localAddress: partnerAddress,
      agent: false,
      method: "POST",
      path,
      headers: {
        authorization: `Bearer ${partner}`,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.end(body);
  });
}

/** Concurrent small and large bodies of the partner: none may get 503. */
async function partnerStatuses(): Promise<number[]> {
  const small = JSON.stringify({ query: "no such brand at all" });
  const large = JSON.stringify({ base64String: "A".repeat(6 * megabyte) });
  return Promise.all([
    ...Array.from({ length: 10 }, () => ask("/api/v1/search/brands", small)),
    ...Array.from({ length: 2 }, () => ask("/api/v1/vectorize-image", large)),
  ]);
}
const served = [...new Array<number>(10).fill(404), 400, 400];

const inFlight = async () => {
  const { body } = await service.app.inject("/metrics");
  // The request for the metrics counts as well.
  return Number(/^product_search_http_requests_in_flight (\d+)$/m.exec(body)?.[1]) - 1;
};

describe("another token's requests from another address are served", () => {
  it("beside 400 slow senders without a token on one address, on paths that exist and paths that do not", async () => {
    const heads = [
      `POST /nosuch HTTP/1.1\r\ncontent-length: ${9 * megabyte}\r\n`,
      `PUT /api/v1/search/brands HTTP/1.1\r\ncontent-length: ${9 * megabyte}\r\n`,
      `POST /api/v1/vectorize-image HTTP/1.1\r\ncontent-length: ${9 * megabyte}\r\n`,
      "POST /api/v1/unknown HTTP/1.1\r\ntransfer-encoding: chunked\r\n",
    ];
    const senders = await Promise.all(
      Array.from({ length: 400 }, (_, number) => sendSlowly(heads[number % heads.length] ?? "")),
    );
    await vi.waitFor(() => expect(senders.filter((one) => one.status() === 0)).toEqual([]), {
      timeout: 60_000,
    });
    const statuses = new Set(senders.map((one) => one.status()));
    expect([...statuses].toSorted()).toEqual([401, 404, 405, 429]);
    expect(await partnerStatuses()).toEqual(served);
    expect(await inFlight()).toBe(0);
  });

  it.each([
    ["large bodies", 9 * megabyte, 20],
    ["small bodies", 1000, 400],
  ])("beside slow senders of %s with one token", async (_, bytes, count) => {
    await slowSenders(count, upload(attacker, bytes));
    await vi.waitFor(async () => expect(await inFlight()).toBeGreaterThan(0), { timeout: 60_000 });
    expect(await partnerStatuses()).toEqual(served);
  });

  it("beside a body that is never read, because GET bodies are not read", async () => {
    const crowded = await createTestService({ limits: { largeBudgetBytes: 1000 } });
    const answer = await crowded.app.inject({
      url: "/api/v1/search/trial?q=mug",
      headers: { "content-length": String(megabyte) },
    });
    expect(answer.statusCode).toBe(200);
    await crowded.close();
  });

  it("beside slow senders of chunked bodies with one token", async () => {
    const head = `POST /api/v1/search/brands HTTP/1.1\r\nauthorization: Bearer ${attacker}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n`;
    await slowSenders(20, head);
    await vi.waitFor(async () => expect(await inFlight()).toBe(20), { timeout: 60_000 });
    expect(await partnerStatuses()).toEqual(served);
  });
});

describe("is refused before memory is reserved", () => {
  const withToken = (headers: string) => () =>
    `POST /api/v1/search/brands HTTP/1.1\r\nauthorization: Bearer ${attacker}\r\n${headers}`;
  it.each([
    [413, withToken("content-type: application/json\r\ncontent-length: 99999999\r\n")],
    [415, withToken("content-type: text/plain\r\ncontent-length: 60000\r\n")],
    [415, withToken("content-length: 60000\r\n")],
    [406, withToken("accept: image/png\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n")],
  ])("%d", async (status, head) => {
    const senders = await slowSenders(20, head());
    await vi.waitFor(() => expect(senders.map((one) => one.status())).toEqual(new Array(20).fill(status)), {
      timeout: 60_000,
    });
    expect(await inFlight()).toBe(0);
  });
});

describe("408", () => {
  it("is returned for a body that arrives too slowly", async () => {
    const impatient = await createTestService({ limits: { checkEveryMs: 20, bodyGraceMs: 100 } });
    const token = await impatient.token();
    const url = await impatient.app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    open.push(socket);
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      received += chunk;
    });
    socket.write(`${upload(token, 1000)}host: service.test\r\n\r\n`);
    const dripping = setInterval(() => socket.write("{"), 20);
    await once(socket, "end");
    clearInterval(dripping);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1.1 408 /);
    const requestId = /^x-request-id: (.+)$/m.exec(head)?.[1];
    expect(JSON.parse(body)).toMatchObject({ status: "error", code: "request_timeout", requestId });
    await impatient.close();
  });

  it("is not returned for a large body that arrives fast enough", async () => {
    const impatient = await createTestService({
      // Each part of the body is a second's worth, for a machine that does much else.
      limits: { checkEveryMs: 20, bodyGraceMs: 100, bodyBytesPerSecond: 100 },
    });
    const token = await impatient.token();
    const url = await impatient.app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    open.push(socket);
    const responded = once(socket.setEncoding("latin1"), "data");
    socket.write(`${upload(token, 2000)}host: service.test\r\n\r\n`);
    for (let sent = 0; sent < 2000; sent += 100) {
      socket.write("x".repeat(100));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(String(await responded)).toMatch(/^HTTP\/1.1 400 /);
    socket.destroy();
    await impatient.close();
  });
});

describe("the rest of a refused body", () => {
  it.each([
    ["after a time", { unreadTimeoutMs: 100 }],
    ["after a size", { unreadBytes: 1000 }],
  ])("is read for %s only", async (_, limits) => {
    const strict = await createTestService({ limits: { checkEveryMs: 20, ...limits } });
    const url = await strict.app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    open.push(socket);
    socket.on("error", () => undefined);
    let received = "";
    socket.setEncoding("latin1").on("data", (chunk) => {
      received += chunk;
    });
    socket.write("POST /nosuch HTTP/1.1\r\nhost: service.test\r\ncontent-length: 99999\r\n\r\n");
    const dripping = setInterval(() => socket.write("x".repeat(100)), 20);
    await new Promise((resolve) => socket.on("close", resolve));
    clearInterval(dripping);
    expect(received).toMatch(/^HTTP\/1.1 404 /);
    await strict.close();
  });

  it("does not prevent the service from stopping", async () => {
    const stopping = await createTestService();
    const url = await stopping.app.listen({ port: 0, host: "127.0.0.1" });
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1" });
    open.push(socket);
    socket.on("error", () => undefined);
    const responded = once(socket, "data");
    socket.write("POST /nosuch HTTP/1.1\r\nhost: service.test\r\ncontent-length: 99999\r\n\r\n{");
    await responded;
    await stopping.close();
  });
});
