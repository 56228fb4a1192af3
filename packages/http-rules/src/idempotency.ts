import { createHash } from "node:crypto";
import { ApiError } from "@product-search/core/errors.ts";
import type { Actor } from "@product-search/core/ports/accounts.ts";
import {
  type IdempotencyClaim,
  type IdempotencyStore,
  isShort,
} from "@product-search/core/ports/idempotency-store.ts";
import type { TransactionStores, UnitOfWork } from "@product-search/core/ports/unit-of-work.ts";

/**
 * How long a request holds its idempotency claim. A crashed request loses it then. So does a slower one, if another attempt
 * has claimed the key meanwhile: only one of them commits.
 */
const leaseMs = 5000;

export interface IdempotencyDeps {
  idempotencyStore: IdempotencyStore;
  unitOfWork: UnitOfWork;
}

/** `TransactAndRespond` with the actor for the audit log. */
export type TransactAs = <Result>(
  actor: Actor,
  work: (stores: TransactionStores) => Promise<Result>,
  toBody: (result: Result) => unknown,
) => Promise<Result>;

export interface IdempotentCall {
  accountId: string;
  operation: string;
  key: string;
  /** Path (with identifiers) and body must be the same when the key is used again. */
  path: string;
  body: unknown;
  /** The response of which this was kept. Default: all of it. */
  repeat?(kept: string): Promise<string>;
}

/** Another attempt with the same key took over: this one must be rolled back. */
class ClaimLost extends Error {}

/**
 * Runs the work once per key; repetitions within 24 hours get the first response. The work and its response are committed
 * in one transaction: a crash leaves both or neither.
 */
export async function respondOnce<Body>(
  deps: IdempotencyDeps,
  call: IdempotentCall,
  status: number,
  work: (transactAs: TransactAs) => Promise<Body>,
): Promise<Body | string> {
  const begun = await begin(deps, call);
  if ("body" in begun) return begun.body;
  const { claim } = begun;
  let isCommitted = false;
  try {
    const response = await work(async (actor, write, toBody) => {
      const result = await deps.unitOfWork.transact(actor, async (stores) => {
        const written = await write(stores);
        const body = JSON.stringify(toBody(written));
        if (!isShort(body)) throw new Error(`The response of ${call.operation} is too long to be kept.`);
        if (!(await stores.idempotencyStore.finish(claim, { status, body }))) throw new ClaimLost();
        return written;
      });
      isCommitted = true;
      return result;
    });
    if (!isCommitted)
      throw new Error(`${call.operation} did not commit its work together with its response.`);
    return response;
  } catch (error) {
    // If this fails too, the claim expires.
    if (!isCommitted) await deps.idempotencyStore.release(claim).catch(() => {});
    if (!(error instanceof ClaimLost)) throw error;
  }
  return responseOfOther(deps, call);
}

async function begin(
  { idempotencyStore }: IdempotencyDeps,
  { accountId, operation, key, path, body, repeat }: IdempotentCall,
): Promise<{ claim: IdempotencyClaim } | { body: string }> {
  const requestHash = createHash("sha256")
    .update(`${path}\n${JSON.stringify(body ?? null)}`)
    .digest();
  const state = await idempotencyStore.begin({ accountId, operation, key, requestHash }, leaseMs);
  if (state.state === "started") return state;
  if (state.state === "done") return { body: (await repeat?.(state.body)) ?? state.body };
  if (state.state === "in_flight") throw inFlight(state.retryAfterSeconds);
  throw new ApiError(
    "idempotency_mismatch",
    "Idempotency-Key: was used for a different request. Use a new key.",
  );
}

/** The response of the attempt that took over, or 409 while it still runs. */
async function responseOfOther(deps: IdempotencyDeps, call: IdempotentCall): Promise<string> {
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
