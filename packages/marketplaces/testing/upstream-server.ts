import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "@product-search/testing/outbound-http/listen.ts";

/** A request that the server received. */
export interface Seen {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
  atMs: number;
}

export type Respond = (seen: Seen, response: ServerResponse) => void;

export interface UpstreamServer {
  baseUrl: string;
  seen: Seen[];
  /** Sets how it responds from now on. */
  respond: Respond;
  close(): Promise<void>;
}

/** A marketplace on loopback. */
export async function startUpstream(respond: Respond, host = "127.0.0.1"): Promise<UpstreamServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const seen: Seen = {
        method: request.method ?? "",
        url: new URL(request.url ?? "/", "http://upstream.test"),
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        atMs: performance.now(),
      };
      upstream.seen.push(seen);
      upstream.respond(seen, response);
    });
  });
  const upstream: UpstreamServer = {
    baseUrl: `http://${host}:${await listen(server, host)}`,
    seen: [],
    respond,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return upstream;
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}
