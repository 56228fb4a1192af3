import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { createClient } from "../src/index.ts";

export interface Received {
  method: string | undefined;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: unknown;
}
type Respond = (response: ServerResponse, received: Received, count: number) => void;

/** A service on loopback that returns the given responses, records the requests, and stops with the test. */
export async function startService(respond: Respond) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://service");
    const raw = await text(request);
    const one = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body: raw === "" ? undefined : JSON.parse(raw),
    };
    received.push(one);
    respond(response, one, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return { baseUrl, received, client: createClient({ baseUrl, token: "pss_test" }) };
}

export function respondWithJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers });
  response.end(JSON.stringify(body));
}
