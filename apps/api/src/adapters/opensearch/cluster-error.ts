import { ApiError } from "../../errors.ts";

/** A request that OpenSearch did not fulfil. */
export class ClusterError extends Error {
  override readonly name = "ClusterError";
  /** Of the response; undefined when there was none. */
  readonly status: number | undefined;

  constructor(status: number | undefined, reason: string, options?: ErrorOptions) {
    super(`OpenSearch: ${status === undefined ? "" : `status ${status}: `}${reason}`, options);
    this.status = status;
  }

  /** Another node, or the same one later, may well respond. */
  get isTemporary(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500;
  }
}

/** What a caller of the service is told. */
export function toApiError(cause: unknown): unknown {
  if (!(cause instanceof ClusterError) || !cause.isTemporary) return cause;
  return new ApiError("unavailable", "The search index cannot be reached. Try again in a moment.", {
    cause,
    retryAfterSeconds: 2,
  });
}
