import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingHttpHeaders } from "node:http";
import type { LookupFunction } from "node:net";
import { isIPv6 } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { literalHost, networkOf } from "@product-search/core/domain/networks.ts";
import { abortable } from "@product-search/core/mechanisms/retry.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundRequest,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import type { Agent, buildConnector, Dispatcher } from "undici";
import { createResolveHost, type ResolveHost } from "./resolve-host.ts";
import type { TargetPolicy } from "./target-policy.ts";
import { createTargetPolicy, type TargetPolicySettings } from "./target-policy.ts";

const tracer = trace.getTracer("product-search");

const unpackers: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const secretHeaders = /^(authorization|cookie|proxy-authorization|.*api-?key.*|.*token.*)$/i;

const bodyHeaders = /^(content-type|content-length|content-encoding)$/i;

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
  // Many threads that may send never do; loading the library takes 30 ms.
  let opened: Promise<Agent> | undefined;
  const open = async () => {
    const { default: undici } = await import("undici");
    return new undici.Agent({
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connect: createGuardedConnector(undici, { ...settings, policy, resolveHost, connectTimeoutMs }),
    });
  };

  async function send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResponse> {
    let hop = firstHop(request, policy.parse(request.url));
    const exchange = startExchange(request.timeoutMs, hop.url.host, signal);
    try {
      for (let hopsDone = 0; ; hopsDone++) {
        opened ??= open();
        const agent = await opened;
        const response = await onNetwork.run(request.onNetwork, () => sendHop(agent, hop, exchange.signal));
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
    const noAddresses = pause<string[]>(checkTimeoutMs, [], { ref: false });
    const addresses = await Promise.race([resolveHost(url.hostname).catch(() => []), noAddresses]);
    policy.assertAddresses(addresses, url.hostname, url.protocol);
  }

  return { send: traceSend(send), checkTarget, close: async () => (await opened)?.destroy() };
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

type Undici = typeof import("undici").default;

/** Of the request for which a connection is made. */
const onNetwork = new AsyncLocalStorage<OutboundRequest["onNetwork"]>();

interface GuardedConnectorSettings {
  policy: TargetPolicy;
  resolveHost: ResolveHost;
  connectTimeoutMs: number;
  /** Certificates to trust instead of the built-in authorities. */
  ca?: string;
}

/**
 * Opens sockets to checked addresses only. It connects to the same addresses of the DNS answer that it checked, so a name
 * server gains nothing by sending another answer afterwards. IP address literals are never looked up: they are checked
 * here as well.
 */
function createGuardedConnector(
  undici: Undici,
  settings: GuardedConnectorSettings,
): buildConnector.connector {
  const connectors = {
    "https:": plainConnector(undici, settings, "https:"),
    "http:": plainConnector(undici, settings, "http:"),
  };
  return (options, callback) => {
    const protocol = options.protocol === "https:" ? "https:" : "http:";
    const tell = onNetwork.getStore();
    const refuse = (error: unknown) =>
      callback(error instanceof Error ? error : new Error("The address was not checked"), null);
    try {
      const literal = literalHost(options.hostname);
      if (literal !== undefined) settings.policy.assertAddresses([literal], options.hostname, protocol);
      if (literal !== undefined) tell?.(networkOf(literal));
    } catch (error) {
      refuse(error);
      return;
    }
    connectors[protocol](options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      try {
        if (socket.remoteAddress !== undefined) tell?.(networkOf(socket.remoteAddress));
      } catch (refusal) {
        socket.destroy();
        return refuse(refusal);
      }
      callback(null, socket);
    });
  };
}

function plainConnector(
  undici: Undici,
  { policy, resolveHost, connectTimeoutMs, ca }: GuardedConnectorSettings,
  protocol: string,
): buildConnector.connector {
  const lookup: LookupFunction = (host, { all }, done) => {
    judgedAddresses().then(
      (addresses) =>
        all ? done(null, addresses) : done(null, addresses[0]?.address ?? "", addresses[0]?.family),
      (error: NodeJS.ErrnoException) => done(error, []),
    );

    async function judgedAddresses() {
      const addresses = await resolveHost(host).catch((cause: unknown) => {
        throw new OutboundError("connection", `The name "${host}" does not resolve.`, { cause });
      });
      policy.assertAddresses(addresses, host, protocol);
      onNetwork.getStore()?.([...new Set(addresses.map(networkOf))].sort().join());
      return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    }
  };
  return undici.buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    lookup,
    autoSelectFamily: true,
    ...(ca === undefined ? {} : { ca }),
  });
}

/** One request of an exchange: the first one, or the one after a redirect. */
interface Hop {
  url: URL;
  method: "GET" | "HEAD" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

/** The next request, or undefined if this response is the last one. */
function nextHop(
  redirects: OutboundRequest["redirects"],
  hop: Hop,
  hopsDone: number,
  response: { status: number; location: string | undefined },
  policy: TargetPolicy,
): Hop | undefined {
  if (redirects === undefined || response.location === undefined) return undefined;
  if (!redirectStatuses.has(response.status)) return undefined;
  if (hopsDone >= redirects.max) {
    throw new OutboundError("redirect", `"${hop.url.host}" redirects more than ${redirects.max} times.`);
  }
  const url = policy.parse(response.location, hop.url);
  if (redirects.sameHostOnly === true && url.hostname !== hop.url.hostname) {
    throw new OutboundError("redirect", `"${hop.url.host}" redirects to another host, which is not allowed.`);
  }
  const carried = url.origin === hop.url.origin ? hop.headers : without(hop.headers, secretHeaders);
  if (response.status === 307 || response.status === 308 || hop.method !== "POST") {
    return { ...hop, url, headers: carried };
  }
  // As in browsers: a redirected POST continues as a GET.
  return { url, method: "GET", headers: without(carried, bodyHeaders) };
}

function without(headers: Readonly<Record<string, string>>, names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)));
}

/** Decompresses the body by its Content-Encoding. An unknown encoding is passed on unchanged. */
function unpack(body: Readable, encoding: string | undefined): Readable {
  const create = unpackers[encoding?.trim().toLowerCase() ?? ""];
  if (create === undefined) return body;
  // Errors of either stream reach the reader through the destroyed decompressor.
  return pipeline(body, create(), () => {});
}

/** The bytes, up to the limit. They are counted after decompression, so a decompression bomb is stopped. */
async function* readBody(
  body: Readable,
  maxBytes: number,
  host: string,
  exchange: Exchange,
): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0;
  try {
    for await (const chunk of body) {
      const bytes: Uint8Array = chunk;
      total += bytes.byteLength;
      if (total > maxBytes) {
        throw new OutboundError(
          "too_large",
          `"${host}" sent more than the ${maxBytes} bytes that are accepted.`,
        );
      }
      yield bytes;
    }
  } catch (error) {
    throw toOutboundError(error, host);
  } finally {
    exchange.end();
  }
}

/**
 * A span for each request of a trace, which is sent as `traceparent`. The trace is the present one, or that of a `traceparent`
 * among the headers. The span contains only the host of the URL.
 */
function traceSend(send: OutboundHttp["send"]): OutboundHttp["send"] {
  return (request, signal) => {
    const { method = "GET", url, headers = {} } = request;
    if (headers.traceparent === undefined && trace.getActiveSpan() === undefined)
      return send(request, signal);
    const parent =
      headers.traceparent === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, headers);
    return tracer.startActiveSpan(`HTTP ${method}`, { kind: SpanKind.CLIENT }, parent, async (span) => {
      try {
        const response = await send(withTraceHeaders(request), signal);
        span.setAttribute("http.response.status_code", response.status);
        return response;
      } catch (error) {
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.name : "error",
        });
        throw error;
      } finally {
        if (URL.canParse(url)) span.setAttribute("server.address", new URL(url).hostname);
        span.end();
      }
    });
  };
}

function withTraceHeaders(request: OutboundRequest): OutboundRequest {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return Object.keys(headers).length === 0
    ? request
    : { ...request, headers: { ...request.headers, ...headers } };
}

/** The time limit of one exchange, including redirects and body. */
interface Exchange {
  /** Aborts with an `OutboundError` that contains the reason. */
  signal: AbortSignal;
  end(): void;
}

function startExchange(timeoutMs: number, host: string, callerSignal?: AbortSignal): Exchange {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new OutboundError("timeout", `"${host}" did not respond within ${timeoutMs} ms.`));
  }, timeoutMs);
  const onCallerAbort = () => {
    controller.abort(
      new OutboundError("aborted", `The request to "${host}" was aborted.`, { cause: callerSignal?.reason }),
    );
  };
  if (callerSignal?.aborted) onCallerAbort();
  callerSignal?.addEventListener("abort", onCallerAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      callerSignal?.removeEventListener("abort", onCallerAbort);
    },
  };
}

/** Translates a failure into the terms of the port. The cause has the details; the message is safe to show. */
function toOutboundError(error: unknown, host: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const options = { cause: error };
  if (code === "UND_ERR_HEADERS_OVERFLOW") {
    return new OutboundError("too_large", `"${host}" sent headers that are too large.`, options);
  }
  if (/TIMEOUT|ETIMEDOUT/.test(code)) {
    return new OutboundError("timeout", `"${host}" did not respond in time.`, options);
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|HOSTNAME_MISMATCH|EPROTO/.test(code)) {
    return new OutboundError("tls", `The TLS connection to "${host}" failed (${code}).`, options);
  }
  return new OutboundError("connection", `The connection to "${host}" failed (${code}).`, options);
}

function codeOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return "connection failed";
}
