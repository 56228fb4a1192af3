import type { DeadLetter, DeadLetters } from "@product-search/core/ports/dead-letters.ts";

/** Dead letters in the form in which they are printed. */
export type ListedDeadLetter = Omit<DeadLetter, "createdAtMs"> & { createdAt: string };

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
