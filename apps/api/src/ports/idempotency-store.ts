export interface IdempotentRequest {
  accountId: string;
  operation: string;
  key: string;
  /** Of method, path and body. */
  requestHash: Uint8Array;
}

/** Names one attempt at a request: a later attempt with the same key has another. */
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

/** Remembers the responses of requests that carried an `Idempotency-Key`, for 24 hours. */
export interface IdempotencyStore {
  /**
   * Claims the key for one request at a time. After `leaseMs` another may claim it: the first one died, or it is slow and
   * will find its claim gone.
   */
  begin(request: IdempotentRequest, leaseMs: number): Promise<IdempotencyState>;
  /**
   * Keeps the response to give to every repetition; belongs into the transaction that does the work. False when the claim is
   * gone: then the work is somebody else's, and must be undone.
   */
  finish(claim: IdempotencyClaim, response: { status: number; body: string }): Promise<boolean>;
  /** Gives the claim up, so that a repetition runs anew. */
  release(claim: IdempotencyClaim): Promise<void>;
  /** Forgets what is past its time; returns how many. */
  removeExpired(): Promise<number>;
}
