import { type ErrorCode, statusOfCode } from "@product-search/types";

export { type ErrorCode, statusOfCode } from "@product-search/types";

export interface ApiErrorOptions {
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/**
 * The error that features and adapters throw to callers. The message is shown to the client: it names the field, what
 * is wrong with it and the remedy, and never an internal detail.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.headers = { ...options.headers };
    if (options.retryAfterSeconds !== undefined) {
      this.headers["retry-after"] = String(Math.max(1, Math.ceil(options.retryAfterSeconds)));
    }
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}
