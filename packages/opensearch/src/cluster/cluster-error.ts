import { ApiError } from "@product-search/core/errors.ts";

/** A failed request to OpenSearch. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  /** The status of the response; undefined if there was none. */
  readonly status: number | undefined;

  constructor(status: number | undefined, reason: string, options?: ErrorOptions) {
    super(`OpenSearch: ${status === undefined ? "" : `status ${status}: `}${reason}`, options);
    this.status = status;
  }

  /** An index that does not exist: whoever keeps it makes it again. */
  get isMissing(): boolean {
    return this.status === 404;
  }

  /** Whether another node, or the same one later, may succeed. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }
}

/** The nodes with the copies have too much to do: to ask again at once would make it worse. */
export class OverloadError extends ClusterError {}

/** The error for a client of the service. */
export function toApiError(cause: unknown): unknown {
  if (!(cause instanceof ClusterError) || !(cause.isTemporary || cause.isMissing)) return cause;
  return new ApiError("unavailable", "The search index cannot be reached. Try again in a moment.", {
    cause,
    retryAfterSeconds: 2,
  });
}
