import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { verifyDelivery } from "@product-search/features/webhooks/verify-delivery.ts";

export interface ListenSettings {
  port: number;
  /** Without it, deliveries are not verified. */
  key: string | undefined;
  /** The status of the response to verified deliveries. */
  status: number;
  /** Stops after this many deliveries. */
  count: number;
  json: boolean;
}

const maxBodyBytes = 1_000_000;

/** Prints the deliveries that arrive on a local port, and whether they are valid. Resolves after `count` deliveries. */
export async function listenForWebhooks({ port, key, status, count, json }: ListenSettings): Promise<void> {
  const enough = Promise.withResolvers<void>();
  let seen = 0;
  const server = createServer(async (request, response) => {
    try {
      const delivery = await receive(request, key);
      console.log(json ? JSON.stringify(delivery) : describe(delivery));
      respond(response, delivery.fault === undefined ? status : 400);
      seen += 1;
      if (seen >= count) enough.resolve();
    } catch {
      respond(response, 413);
    }
  });
  server.once("error", (error: NodeJS.ErrnoException) =>
    enough.reject(
      error.code === "EADDRINUSE"
        ? new Error(`Port ${port} is used by another process. Stop it, or choose another port with --port.`)
        : error,
    ),
  );
  server.listen(port, "127.0.0.1", () => {
    const address = server.address();
    const taken = typeof address === "object" && address !== null ? address.port : port;
    console.error(
      `Listening on http://127.0.0.1:${taken}/ ${key ? "" : "(deliveries are not verified without WEBHOOK_KEY or --key)"}`,
    );
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => enough.resolve());
  await enough.promise.finally(() => {
    server.close();
    server.closeIdleConnections();
  });
}

interface Delivery {
  id: string;
  path: string;
  verified: boolean;
  fault?: string;
  event?: unknown;
}

async function receive(request: IncomingMessage, key: string | undefined): Promise<Delivery> {
  if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes)
    throw new Error("The body is too large.");
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(
      (field): field is [string, string] => typeof field[1] === "string",
    ),
  );
  const body = await readBounded(request);
  const delivery = { id: headers["webhook-id"] ?? "", path: request.url ?? "/" };
  if (key === undefined) return { ...delivery, verified: false, event: body };
  try {
    return { ...delivery, verified: true, event: verifyDelivery(body, headers, key) };
  } catch (error) {
    return {
      ...delivery,
      verified: false,
      fault: error instanceof Error ? error.message : String(error),
      event: body,
    };
  }
}

async function readBounded(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error("The body is too large.");
  }
  return Buffer.concat(chunks).toString();
}

function describe({ id, path, verified, fault, event }: Delivery): string {
  const state = fault === undefined ? (verified ? "verified" : "not verified") : `NOT VERIFIED: ${fault}`;
  const body = typeof event === "string" ? event : JSON.stringify(event, undefined, 2);
  return `\n${new Date().toISOString()}  ${path}  ${id}  ${state}\n${body}`;
}

function respond(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: "close" }).end();
}
