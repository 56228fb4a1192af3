// A marketplace on loopback, on a separate thread. Messages change its behaviour.
import { createServer, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort } from "node:worker_threads";
import type { Behaviour } from "./behaviour.ts";

const items = Array.from({ length: 20 }, (_, n) => ({
  id: `item-${n}`,
  name: `Stoneware mug number ${n}`,
  price: 10 + n,
  url: `https://marketplace.example/items/${n}`,
  description: "Hand-glazed stoneware, safe for dishwasher and microwave. ".repeat(5),
}));
const responseBody = JSON.stringify({ total: 200, items });
const megabyte = Buffer.alloc(1_000_000, " ");

let behaviour: Behaviour = { kind: "healthy", delayMs: 0 };
let requests = 0;

async function respond(response: ServerResponse): Promise<void> {
  switch (behaviour.kind) {
    case "healthy":
      if (behaviour.delayMs > 0) await delay(behaviour.delayMs);
      response.writeHead(200, { "content-type": "application/json" }).end(responseBody);
      return;
    case "hangs":
      return;
    case "resets":
      response.destroy();
      return;
    case "answers garbage":
      response.end("<html>".repeat(1000));
      return;
    case "answers 429":
      response.writeHead(429).end();
      return;
    case "sends 50 MB":
      Readable.from(Array.from({ length: 50 }, () => megabyte)).pipe(response);
      return;
    case "sends a byte a second": {
      const timer = setInterval(() => response.write(" "), 1000);
      response.write("{");
      response.on("close", () => clearInterval(timer));
      return;
    }
  }
}

const server = createServer((request, response) => {
  requests += 1;
  request.resume();
  response.on("error", () => {});
  void respond(response);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  parentPort?.postMessage({ port: typeof address === "object" ? address?.port : 0 });
});
parentPort?.on("message", (message: Behaviour | "count") => {
  if (message === "count") {
    parentPort?.postMessage({ requests });
    return;
  }
  behaviour = message;
  requests = 0;
});
