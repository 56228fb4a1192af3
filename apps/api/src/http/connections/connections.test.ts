import { once } from "node:events";
import { Agent, get, request } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Writable } from "node:stream";
import { setTimeout as delay, setTimeout as sleep } from "node:timers/promises";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { Client } from "undici";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

describe("client leaves", () => {
  let service: TestService;
  let signal: AbortSignal | undefined;
  let root: string;
  const lines: { level: number; msg: string }[] = [];

  beforeAll(async () => {
    service = await createTestService({
      logger: pino(
        new Writable({
          write: (chunk, _encoding, done) => {
            lines.push(JSON.parse(String(chunk)));
            done();
          },
        }),
      ),
      handlers: (handlers) => ({
        ...handlers,
        deepSearch: async (input, context) => {
          signal = context.signal;
          await delay(50);
          signal.throwIfAborted();
          return handlers.deepSearch(input, context);
        },
        searchBrands: async (_input, context) => {
          signal = context.signal;
          await delay(60_000, undefined, { signal });
          throw new Error("nobody left");
        },
      }),
    });
    root = await service.app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterAll(() => service.close());

  async function post(path: string, leaving?: AbortSignal): Promise<Response> {
    return fetch(`${root}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${await service.token()}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "lamp" }),
      ...(leaving && { signal: leaving }),
    });
  }

  it("lets a handler continue after the body was read", async () => {
    const response = await post("/deep-search");
    expect(response.status).toBe(200);
    await response.text();
    await delay(20);
    expect(signal?.aborted).toBe(false);
  });

  it("aborts the signal of a handler when its client disconnects", async () => {
    // Not that of the request before, which would let the client leave before the handler has begun.
    signal = undefined;
    const leaving = new AbortController();
    const response = post("/search/brands", leaving.signal).catch((error: Error) => error.name);
    await vi.waitFor(() => expect(signal?.aborted).toBe(false), { timeout: 60_000 });
    await delay(50);
    leaving.abort();
    expect(await response).toBe("AbortError");
    await vi.waitFor(() => expect(signal?.aborted).toBe(true), { timeout: 60_000 });
    await delay(20);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
  });

  it("gives a handler an aborted signal when its client has left before it began", async () => {
    const authentication = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    let isAborted: boolean | undefined;
    const late = await createTestService({
      handlers: (handlers) => ({
        ...handlers,
        searchBrands: async (_input, context) => {
          isAborted = context.signal.aborted;
          throw new Error("nobody waits");
        },
      }),
    });
    late.app.addHook("preHandler", async (request) => {
      request.raw.socket.once("close", () => left.resolve());
      authentication.resolve();
      await left.promise;
      await delay(5);
    });
    const address = await late.app.listen({ host: "127.0.0.1", port: 0 });
    const leaving = new AbortController();
    const sent = fetch(`${address}/api/v1/search/brands`, {
      method: "POST",
      headers: { authorization: `Bearer ${await late.token()}`, "content-type": "application/json" },
      body: JSON.stringify({ query: "lamp" }),
      signal: leaving.signal,
    }).catch(() => undefined);
    await authentication.promise;
    leaving.abort();
    await sent;
    await vi.waitFor(() => expect(isAborted).toBe(true), { timeout: 60_000 });
    await late.close();
  });
});

describe("closing", () => {
  it("a service that stops responds to what a connection still sends as usual", async () => {
    const service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
    const token = await service.token();
    const port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
    const socket = connect({ port, host: "127.0.0.1" });
    let received = "";
    socket.setEncoding("utf8").on("data", (chunk) => {
      received += chunk;
    });
    const body = '{"query":"no such brand"}';
    socket.write(
      `POST /api/v1/search/brands HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
    );
    await sleep(100);
    const closed = service.close();
    await sleep(100);
    socket.write(`${body}GET /api/v1/search/trial?q=mug HTTP/1.1\r\nhost: a\r\n\r\n`);
    await Promise.all([once(socket, "close"), closed]);
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
    expect(statuses[0]).toBe("404");
    // The second one is answered, or the connection is closed before it: never a 503 that no operation documents.
    expect(statuses.slice(1).filter((status) => status !== "200")).toEqual([]);
    expect(received).not.toContain("Service Unavailable");
  });

  it("a service that stops responds to requests that arrived before it stopped", async () => {
    const service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
    const port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
    const open = () => connect({ port, host: "127.0.0.1" }).setEncoding("utf8");
    const request = "GET /api/v1/search/trial?q=mug HTTP/1.1\r\nhost: a\r\n\r\n";
    const used = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = open();
        socket.write(request);
        await once(socket, "data");
        return socket;
      }),
    );
    // In one turn of the event loop: the server has read none of the requests when it is told to stop.
    for (const socket of used) socket.write(request);
    const fresh = Array.from({ length: 20 }, open);
    for (const socket of fresh) socket.write(request);
    const closed = service.close();
    const responses = await Promise.all([...used, ...fresh].map(readAll));
    await closed;
    for (const response of responses) {
      expect(response).toMatch(/HTTP\/1\.1 200 OK\r\n[\s\S]*Connection: close/i);
    }
  });

  async function readAll(socket: Socket): Promise<string> {
    let text = "";
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    await once(socket, "close");
    return text;
  }
});

describe("finished requests", () => {
  let service: TestService;
  let port: number;
  let token: string;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  beforeAll(async () => {
    service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0", TOKEN_RATE_LIMIT: "0" } });
    token = await service.token();
    await service.app.listen({ port: 0 });
    port = (service.app.server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    agent.destroy();
    await service.close();
  });

  const headerBytes = 8000;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");

  const requests: [number, string, body?: object][] = [
    [200, "/healthz"],
    [404, "/nowhere"],
    [200, "/api/v1/search/trial?q=lamp"],
    [400, "/api/v1/search/trial"],
    [404, "/api/v1/search/brands", { query: "nora" }],
    [200, "/api/v1/search/marketplace-a?q=lamp"],
    [200, "/api/v1/deep-search", { query: "a lamp under 20" }],
    [200, "/api/v1/webhooks"],
  ];

  it.each(requests)("an answered request is not kept: %s of %s", async (status, path, body) => {
    expect(await ask(500, path, body)).toEqual(new Set([status]));
    collectYoung();
    const before = oldBytes();
    await ask(1000, path, body);
    // A thousand leaked requests take eight megabytes for their headers alone. Deep search adds a listener to a signal, which
    // Node keeps.
    expect(oldBytes() - before).toBeLessThan(4e6);
  });

  /** Resolves with the statuses of the responses. */
  async function ask(times: number, path: string, body?: object): Promise<Set<number | undefined>> {
    const statuses = new Set<number | undefined>();
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "x-padding": "p".repeat(headerBytes),
    };
    for (let n = 0; n < times; n++) {
      await new Promise<void>((resolve, reject) => {
        const asked = request({ port, agent, path, method: body ? "POST" : "GET", headers }, (response) => {
          statuses.add(response.statusCode);
          response.resume().on("end", resolve);
        });
        asked.on("error", reject).end(body && JSON.stringify(body));
      });
      // Objects that survive two of these collections count as long-lived.
      if (n % 50 === 0) collectYoung();
    }
    return statuses;
  }

  function collectYoung(): void {
    collect({ type: "minor" });
  }

  function oldBytes(): number {
    return getHeapSpaceStatistics()
      .filter(({ space_name }) => space_name.startsWith("old") || space_name.startsWith("large"))
      .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
  }
});

describe("moved connection", () => {
  it("a connection that moves is closed after the response, but not while a body is sent", async () => {
    const moved: object[] = [];
    let moves = false;
    const service = await createTestService({
      shouldMove: (connection) => {
        if (moves) moved.push(connection);
        return moves;
      },
    });
    const client = new Client(await service.app.listen({ host: "127.0.0.1", port: 0 }));
    const ask = async () => {
      const { statusCode, headers, body } = await client.request({ path: "/openapi.yaml", method: "GET" });
      expect(statusCode).toBe(200);
      expect(await body.text()).toMatch(/^openapi: /m);
      return headers.connection;
    };
    expect(await ask()).toBe("keep-alive");
    moves = true;
    expect([await ask(), await ask()]).toEqual(["close", "close"]);
    const post = { path: "/api/v1/webhooks", method: "POST", body: "{}" } as const;
    const { statusCode, headers, body } = await client.request(post);
    await body.dump();
    expect([statusCode, headers.connection]).toEqual([401, "keep-alive"]);
    expect(moved[0]).not.toBe(moved[1]);
    await client.close();
    await service.close();
  });

  it("a refused request without a body is told that its connection moves, also with a length of 0", async () => {
    const service = await createTestService({ shouldMove: () => true });
    const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
    const refused = [
      { path: "/api/v1/search/suggestions?q=mug", status: 401, token: {} },
      {
        path: "/api/v1/search/suggestions?q=mug&noSuchParameter=1",
        status: 400,
        token: { authorization: `Bearer ${await service.token()}` },
      },
    ];
    for (const { path, status, token } of refused) {
      const request = get(new URL(path, url), { headers: { "content-length": "0", ...token } });
      const [response] = await once(request, "response");
      response.resume();
      expect([response.statusCode, response.headers.connection]).toEqual([status, "close"]);
    }
    await service.close();
  });
});
