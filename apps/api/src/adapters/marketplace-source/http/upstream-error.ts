import { ApiError } from "../../../errors.ts";

/**
 * Why a marketplace gave no response.
 * `busy`, `quota` and `open` are ours: the marketplace was not even asked.
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

  /** Whether asking again at once may help. */
  get isPassing(): boolean {
    return this.kind === "unreachable" || this.kind === "failed" || this.kind === "limited";
  }

  /** Whether it tells of the marketplace's health, so that many of them open the circuit. */
  get isIllness(): boolean {
    return (
      this.isPassing || this.kind === "timeout" || this.kind === "credentials" || this.kind === "unreadable"
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
