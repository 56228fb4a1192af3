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

/** PostgreSQL ended the statement: a lock was not free in time, it took too long, or there was a deadlock. */
const busyCodes = new Set(["55P03", "57014", "40P01", "40001"]);

/** The database cannot be reached, or is too busy: a retry succeeds later. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === "unavailable";
  return error instanceof Error && "code" in error && busyCodes.has(String(error.code));
}
