import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { parentPort } from "node:worker_threads";

/** A received delivery: its path, product and price, and the time of its arrival by the machine's clock. */
export interface Arrival {
  path: string;
  change: string;
  atMs: number;
}

/** How a target behaves, by the first word of its path. */
const manners: Record<string, (response: ServerResponse) => void> = {
  ok: (response) => response.writeHead(204).end(),
  hanging: () => {},
  slow: (response) => setTimeout(() => response.writeHead(204).end(), 5000),
  resetting: (response) => response.socket?.resetAndDestroy(),
  failing: (response) => response.writeHead(500).end("no"),
  limiting: (response) => response.writeHead(429, { "retry-after": "5" }).end(),
};

let arrivals: Arrival[] = [];
const server = createServer(async (request, response) => {
  const atMs = performance.timeOrigin + performance.now();
  const path = request.url ?? "";
  const { productId, current } = JSON.parse(await text(request)).data;
  arrivals.push({ path, change: `${productId} ${current.price}`, atMs });
  manners[path.split("/")[1] ?? ""]?.(response);
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => parentPort?.postMessage(server.address()));
parentPort?.on("message", () => {
  parentPort?.postMessage(arrivals);
  arrivals = [];
});
