export interface IdempotentRequest {
  accountId: string;
  operation: string;
  key: string;
  /** Of method, path and body. */
  requestHash: Uint8Array;
}

export type IdempotencyState =
  | { state: "started" }
  | { state: "in_flight"; retryAfterSeconds: number }
  | { state: "mismatch" }
  | { state: "done"; status: number; body: string };

/** Remembers the answers of requests that carried an `Idempotency-Key`, for 24 hours. */
export interface IdempotencyStore {
  /** Claims the key for one request at a time; a claim whose request died is free again after `leaseMs`. */
  begin(request: IdempotentRequest, leaseMs: number): Promise<IdempotencyState>;
  /** Keeps the answer to give to every repetition. */
  finish(request: IdempotentRequest, answer: { status: number; body: string }): Promise<void>;
  /** Gives the claim up, so that a repetition runs anew. */
  release(request: IdempotentRequest): Promise<void>;
  /** Forgets what is past its time; returns how many. */
  removeExpired(): Promise<number>;
}
