import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { abortable } from "@product-search/core/domain/abortable.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundRequest,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import { Agent, type Dispatcher } from "undici";
import { type Exchange, startExchange } from "./exchange.ts";
import { createGuardedConnector } from "./guarded-connector.ts";
import { type Hop, nextHop } from "./next-hop.ts";
import { readBody, unpack } from "./read-body.ts";
import { createResolveHost, type ResolveHost } from "./resolve-host.ts";
import { createTargetPolicy, literalHost, type TargetPolicySettings } from "./target-policy.ts";
import { toOutboundError } from "./to-outbound-error.ts";
import { traceSend } from "./traced-send.ts";

export interface UndiciOutboundHttpSettings extends TargetPolicySettings {
  /** Resolves names to addresses; tests replace it with a hostile name server. */
  resolveHost?: ResolveHost;
  /** Certificates to trust instead of the built-in authorities (PEM). */
  ca?: string;
  /** How long a server may be silent, before and during its response, regardless of the total timeout. */
  idleTimeoutMs?: number;
}

const maxHeaderBytes = 16_384;
const maxHeaderFields = 200;
const connectTimeoutMs = 10_000;
const usualIdleTimeoutMs = 60_000;
const checkTimeoutMs = 5_000;

export function createUndiciOutboundHttp(settings: UndiciOutboundHttpSettings): OutboundHttp {
  const { idleTimeoutMs = usualIdleTimeoutMs } = settings;
  const policy = createTargetPolicy(settings);
  const resolveHost = settings.resolveHost ?? createResolveHost();
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    connect: createGuardedConnector({ ...settings, policy, resolveHost, connectTimeoutMs }),
  });

  async function send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResponse> {
    let hop = firstHop(request, policy.parse(request.url));
    const exchange = startExchange(request.timeoutMs, hop.url.host, signal);
    try {
      for (let hopsDone = 0; ; hopsDone++) {
        const response = await sendHop(agent, hop, exchange.signal);
        const headers = flatten(response.headers, hop.url.host);
        const next = nextHop(
          request.redirects,
          hop,
          hopsDone,
          { status: response.statusCode, location: headers.location },
          policy,
        );
        if (next === undefined) return toResponse(response, headers, hop.url, request, exchange);
        response.body.destroy();
        hop = next;
      }
    } catch (error) {
      exchange.end();
      throw toOutboundError(error, hop.url.host);
    }
  }

  async function checkTarget(address: string): Promise<void> {
    const url = policy.parse(address);
    if (literalHost(url.hostname) !== undefined) return;
    // A name that does not resolve, or not soon, is checked when it is used.
    const noAddresses = setTimeout<string[]>(checkTimeoutMs, [], { ref: false });
    const addresses = await Promise.race([resolveHost(url.hostname).catch(() => []), noAddresses]);
    policy.assertAddresses(addresses, url.hostname, url.protocol);
  }

  return { send: traceSend(send), checkTarget, close: () => agent.destroy() };
}

function firstHop({ method = "GET", headers = {}, body, compressed }: OutboundRequest, url: URL): Hop {
  const acceptEncoding = compressed === true ? "gzip, br" : "identity";
  return {
    url,
    method,
    headers: { "accept-encoding": acceptEncoding, ...headers },
    ...(body === undefined ? {} : { body }),
  };
}

/** Errors of a body that nobody reads any more are ignored. */
function ignoreLateErrors(body: Readable): void {
  body.on("error", () => {});
}

async function sendHop(agent: Agent, { url, method, headers, body }: Hop, signal: AbortSignal) {
  const path = `${url.pathname}${url.search}`;
  const options = { origin: url.origin, path, method, headers: { ...headers }, body: body ?? null, signal };
  // The client itself ends no request that still waits for its connection.
  const response = await abortable(agent.request(options), signal);
  ignoreLateErrors(response.body);
  return response;
}

function flatten(headers: IncomingHttpHeaders, host: string): Record<string, string> {
  const fields = Object.entries(headers);
  if (fields.length > maxHeaderFields) {
    throw new OutboundError("too_large", `"${host}" sent more than ${maxHeaderFields} header fields.`);
  }
  return Object.fromEntries(
    fields.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function toResponse(
  { statusCode, body }: Dispatcher.ResponseData,
  headers: Record<string, string>,
  url: URL,
  request: OutboundRequest,
  exchange: Exchange,
): OutboundResponse {
  const unpacked = request.compressed === true ? unpack(body, headers["content-encoding"]) : body;
  const bounded = readBody(unpacked, request.maxResponseBytes, url.host, exchange);
  return {
    status: statusCode,
    headers,
    url: url.href,
    body: bounded,
    bytes: () => collect(bounded),
    discard() {
      exchange.end();
      body.destroy();
    },
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}
