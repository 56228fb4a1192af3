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

/** Encrypted, it has no more than 2 kB. */
const maxResponseBytes = 2000;

/** Whether a response may be stored. */
export function isShort(body: string): boolean {
  return Buffer.byteLength(body) <= maxResponseBytes;
}

/** Stores the responses of requests with an `Idempotency-Key`, for 24 hours. */
export interface IdempotencyStore {
  /**
   * Claims the key for one request at a time. After `leaseMs` another request may claim it: then the first one has
   * crashed, or it is slow and has lost its claim.
   */
  begin(request: IdempotentRequest, leaseMs: number): Promise<IdempotencyState>;
  /**
   * Stores the response for every repetition. Use it in the transaction that does the work. False if the claim is
   * lost: then another request does the work, and this transaction must be rolled back. The body must be short.
   */
  finish(claim: IdempotencyClaim, response: { status: number; body: string }): Promise<boolean>;
  /** Releases the claim, so that a repetition runs again. */
  release(claim: IdempotencyClaim): Promise<void>;
  /** Purges at most `limit` expired responses; returns how many. */
  removeExpired(limit: number): Promise<number>;
}
