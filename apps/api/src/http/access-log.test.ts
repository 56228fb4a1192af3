import { once } from "node:events";
import { connect } from "node:net";
import { pino } from "pino";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";
import { createAccessLog } from "./access-log.ts";

let service: TestService;
let lines: Record<string, unknown>[];
afterEach(() => service.close());

async function start(logRequests: string) {
  lines = [];
  const logger = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  service = await createTestService({ environment: { LOG_REQUESTS: logRequests }, logger });
}
const requests = () => lines.filter(({ msg }) => msg === "request");
const logged = async (count: number) => {
  await vi.waitFor(() => expect(requests()).toHaveLength(count), { timeout: 60_000 });
  return requests();
};

describe("the access log", () => {
  it("has a line for each request, with no more of it than is safe", async () => {
    await start("all");
    const token = await service.token({ account: "acme" });
    const headers = { authorization: `Bearer ${token}`, "x-request-id": "mine-1", cookie: "secret-cookie" };
    await service.app.inject({ url: "/api/v1/search/catalog?q=secret-query", headers });
    const [line] = await logged(1);
    expect(line).toMatchObject({
      requestId: "mine-1",
      method: "GET",
      route: "/api/v1/search/catalog",
      operation: "searchCatalog",
      status: 200,
      ms: expect.any(Number),
      bytes: expect.any(Number),
      address: "127.0.0.1",
      account: expect.any(String),
      token: expect.any(String),
    });
    await service.app.inject({
      method: "POST",
      url: "/api/v1/webhooks",
      headers,
      payload: { webhookUrl: "https://secret-host.example/", webhookType: "price.alert" },
    });
    await service.app.inject({ url: "/secret-path?secret-query", headers });
    await service.app.inject({ method: "DELETE", url: "/api/v1/webhooks/secret-id", headers });
    expect(await logged(4)).toMatchObject([
      {},
      { operation: "createWebhook", status: 201 },
      { status: 404 },
      { operation: "deleteWebhook", route: "/api/v1/webhooks/:webhook_id", status: 404 },
    ]);
    const text = JSON.stringify(lines);
    expect(text).not.toContain("secret-");
    expect(text).not.toContain(token);
  });

  it("has errors alone when asked for them", async () => {
    await start("errors");
    await service.app.inject("/api/v1/search/trial?q=mug");
    await service.app.inject("/api/v1/search/trial");
    await service.app.inject("/api/v1/search/catalog?q=mug");
    expect(await logged(2)).toMatchObject([
      { operation: "searchTrial", status: 400 },
      { operation: "searchCatalog", status: 401 },
    ]);
  });

  it("has no line unless it is asked for", async () => {
    await start("none");
    await service.app.inject("/api/v1/search/trial");
    expect(requests()).toEqual([]);
  });

  it("has a line for a client that left before its response", async () => {
    await start("all");
    await service.app.listen({ port: 0, host: "127.0.0.1" });
    const address = service.app.server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const token = await service.token();
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    // Its body never comes.
    socket.write(
      `POST /api/v1/search/brands HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    socket.destroy();
    const [line] = await logged(1);
    expect(line).toMatchObject({ route: "/api/v1/search/brands", aborted: true });
  });

  it("samples one in a hundred of the requests without an error, and has all others", async () => {
    await start("none");
    const written: object[] = [];
    const numbers = [0.5, 0.009, 0.011];
    const log = createAccessLog({
      logRequests: "sampled",
      logger: pino({ base: null }, { write: (line: string) => void written.push(JSON.parse(line)) }),
      random: () => numbers.shift() ?? 1,
    });
    service.app.addHook("onRequest", async (request, reply) => log?.(request, reply));
    for (let request = 0; request < 3; request += 1) await service.app.inject("/api/v1/search/trial?q=mug");
    await service.app.inject("/api/v1/search/trial");
    expect(written).toMatchObject([
      { status: 200, oneIn: 100 },
      { status: 400, oneIn: 1 },
    ]);
  });
});
