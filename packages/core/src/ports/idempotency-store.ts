export interface IdempotentRequest {
  accountId: string;
  operation: string;
  key: string;
  /** Hash of method, path and body. */
  requestHash: Uint8Array;
}

/** Identifies one attempt at a request. A later attempt with the same key has another claim. */
export interface IdempotencyClaim {
  accountId: string;
  operation: string;
  key: string;
  claim: string;
}

export type IdempotencyState =
  | { state: "started"; claim: IdempotencyClaim }
  | { state: "in_flight"; retryAfterSeconds: number }
  | { state: "mismatch" }
  | { state: "done"; status: number; body: string };

/** With more, the oldest responses of the account are forgotten. */
export const keptResponsesOfAccount = 10_000;

/** Most responses have fewer bytes. Of larger ones, such as a webhook for a thousand products, fewer are kept. */
export const largeResponseBytes = 2048;
export const keptLargeResponsesOfAccount = 100;

/** Stores the responses of requests with an `Idempotency-Key`, for 24 hours. */
export interface IdempotencyStore {
  /**
   * Claims the key for one request at a time. After `leaseMs` another request may claim it: then the first one has
   * crashed, or it is slow and has lost its claim.
   */
  begin(request: IdempotentRequest, leaseMs: number): Promise<IdempotencyState>;
  /**
   * Stores the response for every repetition. Use it in the transaction that does the work. False if the claim is
   * lost: then another request does the work, and this transaction must be rolled back.
   */
  finish(claim: IdempotencyClaim, response: { status: number; body: string }): Promise<boolean>;
  /** Releases the claim, so that a repetition runs again. */
  release(claim: IdempotencyClaim): Promise<void>;
  /** Purges at most `limit` expired responses; returns how many. */
  removeExpired(limit: number): Promise<number>;
}
