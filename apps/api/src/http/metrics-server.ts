import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { RateLimit } from "@product-search/core/ports/quotas.ts";
import type { LocalRateLimiter } from "@product-search/http-rules/access/rate-limiter.ts";
import { clientAddress, clientNetwork } from "./access/client-network.ts";
import { carriesToken, metricsChallenge, metricsRefusal, metricsType } from "./metrics.ts";

export interface MetricsServerSettings {
  host: string;
  port: number;
  token: string | undefined;
  metrics(): Promise<string>;
  limiter: LocalRateLimiter;
  /** By address, for requests without the right token. */
  pageRateLimit: RateLimit | undefined;
}

/** A scraper needs one connection. The limit protects the service from clients that keep many open. */
const maxConnections = 20;
const requestTimeoutMs = 5000;

/** Serves `/metrics` on a separate port, and nothing else. */
export async function startMetricsServer(
  settings: MetricsServerSettings,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    reply(settings, request, response).catch(() => {
      send(response, 503, "The metrics could not be gathered. Try again.");
    });
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const { host, port } = settings;
      reject(
        new Error(`METRICS_PORT: ${host}:${port} cannot be listened on (${error.code}).`, { cause: error }),
      );
    });
    server.listen(settings.port, settings.host, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : settings.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function reply(
  { token, metrics, limiter, pageRateLimit }: MetricsServerSettings,
  { method, url = "", headers, socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (url.split("?")[0] !== "/metrics") return send(response, 404, "Only /metrics is here.");
  if (method !== "GET" && method !== "HEAD") return send(response, 405, "Use GET.", { allow: "GET, HEAD" });
  const isKnown = token !== undefined && carriesToken(headers.authorization, token);
  if (!isKnown && pageRateLimit !== undefined) {
    const address = clientAddress({ ip: socket.remoteAddress });
    const { allowed, resetSeconds } = limiter.take(`page ${clientNetwork(address)}`, pageRateLimit);
    if (!allowed) {
      const message = `Too many requests without the right token. Wait ${resetSeconds} seconds.`;
      return send(response, 429, message, { "retry-after": resetSeconds });
    }
  }
  if (token !== undefined && !isKnown) {
    return send(response, 401, metricsRefusal, { "www-authenticate": metricsChallenge });
  }
  const text = await metrics();
  response.writeHead(200, { "content-type": metricsType }).end(text);
}

function send(response: ServerResponse, status: number, message: string, headers = {}): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers }).end(`${message}\n`);
}
