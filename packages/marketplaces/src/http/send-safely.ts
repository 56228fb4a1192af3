import { ApiError } from "@product-search/core/errors.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  OutboundError,
  type OutboundFailure,
  type OutboundHttp,
  type OutboundRequest,
} from "@product-search/core/ports/outbound-http.ts";

/** The time until which a response is useful, and a signal that aborts at that time. */
export interface Deadline {
  latestMs: number;
  signal: AbortSignal;
}

export interface Sent {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Uint8Array;
}

/** 250 products with long descriptions are about 1 MB. */
const maxResponseBytes = 5_000_000;

/** Sends within the deadline. Every failure becomes an error without URLs and secrets. */
export async function sendSafely(
  outboundHttp: Pick<OutboundHttp, "send">,
  request: Pick<OutboundRequest, "url" | "method" | "headers" | "body">,
  { latestMs, signal }: Deadline,
  clock: Clock,
): Promise<Sent> {
  const bounds = {
    timeoutMs: Math.max(1, latestMs - clock.now()),
    maxResponseBytes,
    redirects: { max: 2, sameHostOnly: true },
    compressed: true,
  };
  try {
    const response = await outboundHttp.send({ ...request, ...bounds }, signal);
    return { status: response.status, headers: response.headers, bytes: await response.bytes() };
  } catch (error) {
    const [kind, message] = faults[error instanceof OutboundError ? error.failure : "connection"];
    throw new UpstreamError(kind, message, { cause: error });
  }
}

const late: [UpstreamErrorKind, string] = ["timeout", "did not respond in time. Try again later."];
const faults: Record<OutboundFailure, [UpstreamErrorKind, string]> = {
  timeout: late,
  aborted: late,
  connection: ["unreachable", "cannot be reached. Try again later."],
  tls: ["unreachable", "has no valid certificate. The operator must look into it."],
  too_large: ["unreadable", "sent more than can be read."],
  redirect: ["refused", "redirects to another host, which is not allowed."],
  forbidden_target: ["refused", "leads to an address that this service may not reach."],
};

/**
 * Why a marketplace gave no response.
 * `busy`, `quota` and `open` have their cause in this service: no request was sent to the marketplace.
 */
type UpstreamErrorKind =
  | "timeout"
  | "unreachable"
  | "refused"
  | "failed"
  | "limited"
  | "credentials"
  | "unreadable"
  | "busy"
  | "quota"
  | "open";

export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly kind: UpstreamErrorKind;
  readonly retryAfterSeconds: number | undefined;

  /** The message completes "marketplace-a …" in one safe line. */
  constructor(
    kind: UpstreamErrorKind,
    message: string,
    options: { retryAfterSeconds?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** Whether a retry at once may help. */
  get isTransient(): boolean {
    return this.kind === "unreachable" || this.kind === "failed" || this.kind === "limited";
  }

  /** Whether the failure shows that the marketplace is unhealthy, so that many of them open the circuit. */
  get isUnhealthy(): boolean {
    return (
      this.isTransient || this.kind === "timeout" || this.kind === "credentials" || this.kind === "unreadable"
    );
  }

  toApiError(marketplace: string): ApiError {
    const code = this.kind === "timeout" ? "upstream_timeout" : "upstream_failed";
    return new ApiError(code, `${marketplace} ${this.message}`, {
      cause: this,
      ...(this.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: this.retryAfterSeconds }),
    });
  }
}
