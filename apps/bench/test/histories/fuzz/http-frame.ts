import { once } from "node:events";
import { connect } from "node:net";
import { createTestService } from "@product-search/api/testing/test-service.ts";
import { mutate, oneOf } from "./mutate.ts";
import type { FuzzTarget } from "./run-target.ts";

const pieces: readonly [string, ...string[]] = [
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  ":",
  "Host: a\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Content-Length: 5\r\n",
  "Content-Length: -1\r\n",
  "Expect: 100-continue\r\n",
  "Upgrade: h2c\r\nConnection: upgrade\r\n",
  "0\r\n\r\n",
  "ffffffffffffffff\r\n",
  "%00",
  "%zz",
  "/../",
  "//",
  "?q=",
  "#",
  "HTTP/0.9",
  "HTTP/9.9",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "x: ".padEnd(20_000, "y"),
];
const statusLine = /^HTTP\/1\.1 ([1-4]\d\d) /;
const maxWaitMs = 4000;
const closeAfterMs = 20;

/** Bytes on a socket: a response below 500, or a closed connection. */
export async function createHttpTarget(): Promise<FuzzTarget> {
  const service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0", TOKEN_RATE_LIMIT: "0" } });
  const token = await service.token();
  const port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
  const own = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`;
  const brand = '{"query":"a"}';
  const requests: readonly [string, ...string[]] = [
    `GET /api/v1/search/trial?q=mug HTTP/1.1\r\n${own}\r\n`,
    `POST /api/v1/search/brands HTTP/1.1\r\n${own}Content-Type: application/json\r\nContent-Length: ${brand.length}\r\n\r\n${brand}`,
    `POST /api/v1/search/brands HTTP/1.1\r\n${own}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nd\r\n${brand}\r\n0\r\n\r\n`,
    `DELETE /api/v1/webhooks/wh_1 HTTP/1.1\r\n${own}\r\nGET /readyz HTTP/1.1\r\n${own}\r\n`,
  ];
  return {
    maxMs: maxWaitMs,
    maxGrowthMb: 64,
    next: (random) => mutate(random, Buffer.from(oneOf(random, requests)), pieces),
    async run(input) {
      const received = await exchange(port, input);
      if (received === "") return "refused";
      const status = statusLine.exec(received)?.[1];
      if (status === undefined) throw new Error(`responded with ${received.slice(0, 200)}`);
      return status < "400" ? "accepted" : "refused";
    },
    close: () => service.close(),
  };
}

/** Everything received until the connection closed. */
async function exchange(port: number, input: Uint8Array): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    received += chunk;
  });
  // The service may close while this end is still writing.
  socket.on("error", () => {});
  const closed = once(socket, "close");
  socket.write(input);
  // An incomplete request waits for the rest, so the connection is ended instead.
  const ending = setTimeout(() => socket.end(), closeAfterMs);
  const deadline = setTimeout(() => socket.destroy(new Error("no end")), maxWaitMs + 1000);
  await closed;
  clearTimeout(ending);
  clearTimeout(deadline);
  return received;
}
