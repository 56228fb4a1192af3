import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { createTestService } from "../../../testing/test-service.ts";

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
