import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { DeadLetter, DeadLetters, RetryOutcome } from "@product-search/core/ports/webhooks.ts";

/** Dead letters in the form in which they are printed. */
type ListedDeadLetter = Omit<DeadLetter, "createdAtMs"> & { createdAt: string };

export async function listDeadLetters(
  { deadLetters }: { deadLetters: Pick<DeadLetters, "list"> },
  limit: number,
): Promise<ListedDeadLetter[]> {
  const { letters } = await deadLetters.list({ limit });
  return letters.map(({ createdAtMs, ...letter }) => ({
    ...letter,
    createdAt: new Date(createdAtMs).toISOString(),
  }));
}

interface RetryDeps {
  deadLetters: Pick<DeadLetters, "list" | "retry" | "inputOf">;
  catalogStore: Pick<CatalogStore, "applyEach">;
}

export interface RetriedLetter {
  id: string;
  /** `failed`: it was retried at once and failed again; the dead letter stays. */
  outcome: RetryOutcome | "failed";
}

const pageSize = 200;

/** Each dead letter is its own transaction. One that comes back during the retry is not retried again. */
export async function retryDeadLetters(
  deps: RetryDeps,
  items: readonly string[] | "all",
): Promise<RetriedLetter[]> {
  const ids = items === "all" ? await allIds(deps.deadLetters) : items;
  const retried: RetriedLetter[] = [];
  for (const id of ids) retried.push({ id, outcome: await retryOne(deps, id) });
  return retried;
}

async function retryOne(
  { deadLetters, catalogStore }: RetryDeps,
  id: string,
): Promise<RetriedLetter["outcome"]> {
  const input = await deadLetters.inputOf(id);
  if (input === undefined) return deadLetters.retry(id);
  const [outcome] = await catalogStore.applyEach([input]);
  return outcome === "failed" ? "failed" : "retried";
}

async function allIds(deadLetters: Pick<DeadLetters, "list">): Promise<string[]> {
  const ids: string[] = [];
  for (let before: number | undefined; ; ) {
    const { letters, next } = await deadLetters.list({
      limit: pageSize,
      ...(before !== undefined && { before }),
    });
    ids.push(...letters.map(({ id }) => id));
    if (next === undefined) return ids;
    before = next;
  }
}
