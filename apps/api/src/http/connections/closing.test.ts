import { once } from "node:events";
import { connect } from "node:net";
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
