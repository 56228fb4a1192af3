import { randomUUID } from "node:crypto";
import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  type IdempotencyClaim,
  type IdempotencyState,
  type IdempotencyStore,
  keptResponsesOfAccount,
} from "@product-search/core/ports/idempotency-store.ts";
import type { MemoryDatabase, MemoryResponse } from "../database/memory/memory.ts";

const keptMs = 24 * 3600 * 1000;

export function createMemoryIdempotencyStore({
  database,
  clock,
  kept = keptResponsesOfAccount,
}: {
  database: MemoryDatabase;
  clock: Clock;
  /** Responses of an account. */
  kept?: number | undefined;
}): IdempotencyStore {
  const { responses } = database.tables;
  const heldBy = (claim: IdempotencyClaim): MemoryResponse | undefined => {
    const held = responses.get(rowKey(claim));
    return held?.claim === claim.claim && held.response === undefined ? held : undefined;
  };
  const rowsOf = (accountId: string) =>
    responses.entries().filter(([key]) => key.startsWith(`${JSON.stringify([accountId]).slice(0, -1)},`));
  const forgetOldest = (accountId: string) => {
    const ofAccount = rowsOf(accountId);
    if (ofAccount.length <= kept) return;
    const [oldest] = ofAccount
      .filter(([, { response }]) => response !== undefined)
      .sort(([, one], [, other]) => one.createdAtMs - other.createdAtMs);
    if (oldest !== undefined) responses.delete(oldest[0]);
  };
  return {
    begin: (request, leaseMs) =>
      database.transact((): IdempotencyState => {
        const nowMs = clock.now();
        const requestHash = Buffer.from(request.requestHash).toString("hex");
        const held = responses.get(rowKey(request));
        if (held === undefined || isFree(held, nowMs, leaseMs)) {
          const claim = randomUUID();
          responses.set(rowKey(request), {
            requestHash,
            claim,
            createdAtMs: nowMs,
            leaseUntilMs: nowMs + leaseMs,
          });
          forgetOldest(request.accountId);
          return { state: "started", claim: { ...request, claim } };
        }
        if (held.requestHash !== requestHash) return { state: "mismatch" };
        if (held.response !== undefined) return { state: "done", ...held.response };
        return {
          state: "in_flight",
          retryAfterSeconds: Math.max(1, (held.leaseUntilMs - nowMs) / 1000),
        };
      }),
    finish: (claim, response) =>
      database.transact(() => {
        const held = heldBy(claim);
        if (held === undefined) return false;
        responses.set(rowKey(claim), { ...held, response });
        return true;
      }),
    release: (claim) =>
      database.transact(() => {
        if (heldBy(claim)) responses.delete(rowKey(claim));
      }),
    removeExpired: (limit) =>
      database.transact(() => {
        const expired = responses
          .entries()
          .filter(([, { createdAtMs }]) => createdAtMs < clock.now() - keptMs)
          .slice(0, limit);
        for (const [key] of expired) responses.delete(key);
        return expired.length;
      }),
  };
}

function rowKey({ accountId, operation, key }: Omit<IdempotencyClaim, "claim">): string {
  return JSON.stringify([accountId, operation, key]);
}

/** Expired, or its request crashed. A lease that ends too far in the future is from before the clock was set back. */
function isFree(
  { createdAtMs, leaseUntilMs, response }: MemoryResponse,
  nowMs: number,
  leaseMs: number,
): boolean {
  const isDead = leaseUntilMs < nowMs || leaseUntilMs > nowMs + leaseMs;
  return createdAtMs < nowMs - keptMs || (response === undefined && isDead);
}
