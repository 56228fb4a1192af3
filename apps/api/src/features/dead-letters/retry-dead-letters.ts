import type { DeadLetters, RetryOutcome } from "../../ports/dead-letters.ts";

export interface RetriedLetter {
  id: string;
  outcome: RetryOutcome;
}

const pageSize = 200;

/** Each letter is a transaction of its own: what comes back while others are retried is not retried again. */
export async function retryDeadLetters(
  { deadLetters }: { deadLetters: Pick<DeadLetters, "list" | "retry"> },
  wanted: readonly string[] | "all",
): Promise<RetriedLetter[]> {
  const ids = wanted === "all" ? await allIds(deadLetters) : wanted;
  const retried: RetriedLetter[] = [];
  for (const id of ids) retried.push({ id, outcome: await deadLetters.retry(id) });
  return retried;
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
