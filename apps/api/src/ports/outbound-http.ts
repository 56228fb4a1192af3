/** What became of a request that has no response. Callers turn it into an `ApiError` of their own. */
export type OutboundFailure =
  /** The address, port or scheme may not be reached, on the first hop or on a redirect. */
  | "forbidden_target"
  | "timeout"
  /** No such name, refused, reset, or not HTTP. */
  | "connection"
  | "tls"
  /** More header fields or more bytes than the caller was ready to take. */
  | "too_large"
  /** More redirects than allowed, or to another host where that was excluded. */
  | "redirect"
  /** The caller's signal. */
  | "aborted";

/** The message is one safe line: it names the host and the fault, never a header, a body or a query. */
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
  /** For the whole exchange: name lookup, connecting, redirects and the last byte of the response. */
  timeoutMs: number;
  /** Of the response's body after decompression; a body that exceeds it ends in `too_large`. */
  maxResponseBytes: number;
  /** Absent: a redirect is an respond like any other. Every hop is judged like the first. */
  redirects?: { max: number; sameHostOnly?: boolean };
  /** Asks for a gzip or brotli answer and unpacks it. Absent: identity is asked for and bytes are passed as they are. */
  compressed?: boolean;
}

export interface OutboundResponse {
  status: number;
  /** Lower-case names; repeated fields are joined with a comma. */
  headers: Readonly<Record<string, string>>;
  /** Where the response came from, after redirects. */
  url: string;
  /**
   * Once only, through this or `bytes()`. Stopping early closes the connection. A response that is not read
   * must be discarded, else its connection stays until the timeout.
   */
  body: AsyncIterable<Uint8Array>;
  bytes(): Promise<Uint8Array>;
  discard(): void;
}

/**
 * The one way out: feeds, images, marketplaces and webhooks all go through it. Only public addresses and
 * those of explicitly allowed networks are ever connected to, whatever name or literal leads there.
 */
export interface OutboundHttp {
  /** Fails with `OutboundError` only. A response of any status is a response. */
  send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResponse>;
  /**
   * Judges an address that will be used later: resolves when `send` would be allowed to connect now, or when
   * the name does not resolve (yet); else fails with `forbidden_target`.
   */
  checkTarget(url: string): Promise<void>;
  /** Ends idle connections and whatever is under way. */
  close(): Promise<void>;
}
