import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "./outbound-http/listen.ts";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  /** The bytes as received. */
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  close(): Promise<void>;
}

export type Respond = (response: ServerResponse, request: Received) => void;

/** A webhook target, on loopback by default. It records deliveries and responds with the given status, 204 by default. */
export async function startReceiver(
  respond: Respond = (response) => response.writeHead(204).end(),
  host = "127.0.0.1",
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    const one = { path, headers, body: await text(request) };
    received.push(one);
    respond(response, one);
  });
  const port = await listen(server, host);
  return {
    url: `http://${host}:${port}`,
    received,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
