/** Every code that an answer can carry, with its HTTP status. The spec documents the same set. */
export const statusOfCode = {
  not_found: 404,
  method_not_allowed: 405,
  rate_limited: 429,
  unauthorized: 401,
  forbidden: 403,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_acceptable: 406,
  request_timeout: 408,
  expectation_failed: 417,
  headers_too_large: 431,
  invalid_request: 400,
  invalid_image: 400,
  webhook_target_forbidden: 400,
  image_not_found: 404,
  brand_not_found: 404,
  webhook_not_found: 404,
  delivery_not_found: 404,
  idempotency_in_flight: 409,
  idempotency_mismatch: 409,
  webhook_limit_reached: 409,
  internal_error: 500,
  upstream_failed: 502,
  upstream_timeout: 504,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusOfCode;

export interface ApiErrorOptions {
  cause?: unknown;
  /** Seconds for the `Retry-After` header. */
  retryAfterSeconds?: number;
  headers?: Record<string, string>;
}

/**
 * The one error that features and adapters throw at callers. The message is shown to the client:
 * it names the thing, what is wrong with it and the remedy, and never an internal detail.
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
