import { createHash } from "node:crypto";
import { ApiError } from "../errors.ts";
import type { Actor } from "../ports/audit-log.ts";
import type { IdempotencyClaim, IdempotencyStore } from "../ports/idempotency-store.ts";
import type { TransactionStores, UnitOfWork } from "../ports/unit-of-work.ts";

/**
 * How long a request that crashed holds its key. A slower one goes on, but has lost it when another attempt was made
 * meanwhile: only one of them commits.
 */
const leaseMs = 5000;

export interface IdempotencyDeps {
  idempotencyStore: IdempotencyStore;
  unitOfWork: UnitOfWork;
}

/** A `Commit` that is told in whose name. */
export type CommitAs = <Result>(
  actor: Actor,
  work: (stores: TransactionStores) => Promise<Result>,
  toBody: (result: Result) => unknown,
) => Promise<Result>;

export interface IdempotentCall {
  accountId: string;
  operation: string;
  key: string;
  /** The path with its identifiers and the body: what must be the same for the key to mean the same. */
  path: string;
  body: unknown;
}

/** Another attempt with the same key took over: nothing of this one may remain. */
class ClaimLost extends Error {}

/**
 * Runs the work once for a key; repetitions within 24 hours are given the first response. What the work commits and its response
 * are one transaction: a crash leaves both or neither.
 */
export async function respondOnce<Body>(
  deps: IdempotencyDeps,
  call: IdempotentCall,
  status: number,
  work: (commitAs: CommitAs) => Promise<Body>,
): Promise<Body | string> {
  const begun = await begin(deps, call);
  if ("body" in begun) return begun.body;
  const { claim } = begun;
  let isCommitted = false;
  try {
    const response = await work(async (actor, write, toBody) => {
      const result = await deps.unitOfWork.transact(actor, writeWithAnswer(claim, status, write, toBody));
      isCommitted = true;
      return result;
    });
    if (!isCommitted)
      throw new Error(`${call.operation} did not commit its work together with its response.`);
    return response;
  } catch (error) {
    // When even this fails, the claim ends by itself.
    if (!isCommitted) await deps.idempotencyStore.release(claim).catch(() => {});
    if (!(error instanceof ClaimLost)) throw error;
  }
  return answerOfOther(deps, call);
}

async function begin(
  { idempotencyStore }: IdempotencyDeps,
  { accountId, operation, key, path, body }: IdempotentCall,
): Promise<{ claim: IdempotencyClaim } | { body: string }> {
  const requestHash = createHash("sha256")
    .update(`${path}\n${JSON.stringify(body ?? null)}`)
    .digest();
  const state = await idempotencyStore.begin({ accountId, operation, key, requestHash }, leaseMs);
  if (state.state === "started" || state.state === "done") return state;
  if (state.state === "in_flight") throw inFlight(state.retryAfterSeconds);
  throw new ApiError(
    "idempotency_mismatch",
    "Idempotency-Key: was used for a different request. Use a new key.",
  );
}

function writeWithAnswer<Result>(
  claim: IdempotencyClaim,
  status: number,
  write: (stores: TransactionStores) => Promise<Result>,
  toBody: (result: Result) => unknown,
): (stores: TransactionStores) => Promise<Result> {
  return async (stores) => {
    const result = await write(stores);
    const body = JSON.stringify(toBody(result));
    if (!(await stores.idempotencyStore.finish(claim, { status, body }))) throw new ClaimLost();
    return result;
  };
}

/** The attempt that took over is done, or still runs. */
async function answerOfOther(deps: IdempotencyDeps, call: IdempotentCall): Promise<string> {
  const begun = await begin(deps, call);
  if ("body" in begun) return begun.body;
  await deps.idempotencyStore.release(begun.claim);
  throw inFlight(1);
}

function inFlight(retryAfterSeconds: number): ApiError {
  return new ApiError(
    "idempotency_in_flight",
    "Idempotency-Key: the first request with this key is still running. Try again later.",
    { retryAfterSeconds },
  );
}
