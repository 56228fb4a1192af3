/** Why a request has no response. Callers turn it into their own `ApiError`. */
export type OutboundFailure =
  /** The IP address, port or scheme is not allowed, on the first hop or after a redirect. */
  | "forbidden_target"
  | "timeout"
  /** Unknown name, connection refused or reset, or not HTTP. */
  | "connection"
  | "tls"
  /** More headers or more bytes than the caller allows. */
  | "too_large"
  /** More redirects than allowed, or a redirect to another host if that is not allowed. */
  | "redirect"
  /** The caller's signal. */
  | "aborted";

/** The message is one safe line: it names the host and the failure, never a header, a body or a query. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly failure: OutboundFailure;

  constructor(failure: OutboundFailure, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.failure = failure;
  }
}

export interface OutboundRequest {
  /** Absolute, http or https, without credentials. */
  url: string;
  /** Default: GET. */
  method?: "GET" | "HEAD" | "POST";
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** For the whole exchange: DNS lookup, connection, redirects and the last byte of the response. */
  timeoutMs: number;
  /** Limit of the response's body after decompression; above it the request fails with `too_large`. */
  maxResponseBytes: number;
  /** Without it, a redirect is a response like any other. Every hop is checked like the first one. */
  redirects?: { max: number; sameHostOnly?: boolean };
  /**
   * Accepts a gzip or brotli response and decompresses it. Without it, identity is requested and bytes are passed on
   * unchanged.
   */
  compressed?: boolean;
  /**
   * Called for each new connection: before it is made with the networks of the DNS answer, then with the one that it was made to
   * (an IPv4 address, or the /64 of an IPv6 address). What it throws ends the request.
   */
  onNetwork?(network: string): void;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names; repeated fields are joined with a comma. */
  headers: Readonly<Record<string, string>>;
  /** The final URL, after redirects. */
  url: string;
  /**
   * May be read once, through this or `bytes()`. Stopping early closes the connection. A response that is not read
   * must be discarded; otherwise its connection stays open until the timeout.
   */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  discard(): void;
}

/**
 * The only client for outgoing requests to feeds, images, marketplaces and webhooks. It connects only to public
 * addresses and to explicitly allowed networks, whatever name or literal leads there.
 */
export interface OutboundHttp {
  /** Fails only with `OutboundError`. A response with any status is a success. */
  send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResponse>;
  /**
   * Checks a URL that will be used later. Resolves if `send` could connect now, or if the name does not resolve (yet);
   * otherwise fails with `forbidden_target`.
   */
  checkTarget(url: string): Promise<void>;
  /** Closes idle connections and aborts running requests. */
  close(): Promise<void>;
}
