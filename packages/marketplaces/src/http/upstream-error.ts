import { ApiError } from "@product-search/core/errors.ts";

/**
 * Why a marketplace gave no response.
 * `busy`, `quota` and `open` have their cause in this service: no request was sent to the marketplace.
 */
export type UpstreamErrorKind =
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
