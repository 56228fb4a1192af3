import { createHash } from "node:crypto";
import { ApiError } from "../errors.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";

/** Longer than any of the operations may take. */
const leaseMs = 60_000;

export interface IdempotentCall {
  accountId: string;
  operation: string;
  key: string;
  /** The path with its identifiers and the body: what must be the same for the key to mean the same. */
  path: string;
  body: unknown;
}

/** Runs the work once for a key; repetitions within 24 hours are given the first answer. */
export async function answerOnce<Body>(
  store: IdempotencyStore,
  call: IdempotentCall,
  status: number,
  work: () => Promise<Body>,
): Promise<Body | string> {
  const { accountId, operation, key, path, body } = call;
  const requestHash = createHash("sha256")
    .update(`${path}\n${JSON.stringify(body ?? null)}`)
    .digest();
  const claim = { accountId, operation, key, requestHash };
  const state = await store.begin(claim, leaseMs);
  if (state.state === "done") return state.body;
  if (state.state === "mismatch") {
    throw new ApiError(
      "idempotency_mismatch",
      "Idempotency-Key: was used with another request. Choose a fresh key for a new request.",
    );
  }
  if (state.state === "in_flight") {
    throw new ApiError(
      "idempotency_in_flight",
      "Idempotency-Key: the first request with this key is still running. Send it again later.",
      { retryAfterSeconds: Math.min(state.retryAfterSeconds, 5) },
    );
  }
  let answer: Body;
  try {
    answer = await work();
  } catch (error) {
    await store.release(claim);
    throw error;
  }
  await store.finish(claim, { status, body: JSON.stringify(answer) });
  return answer;
}
