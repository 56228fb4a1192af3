import type { RulePin } from "./search-query.ts";

/** The part of a page that is ranked, and where the pinned documents belong in it. */
export interface PinnedPage {
  /** The page of the ranking without the pinned documents. */
  readonly offset: number;
  readonly limit: number;
  /** The whole page, made from the ids of that one. */
  fill(ranked: readonly number[]): number[];
}

/**
 * Puts each pinned document at its position and all others, in their order, at the positions that are left. Pins behind
 * the last of the others follow it, so that every document is on exactly one page.
 */
export function placePins(
  pins: readonly RulePin[],
  others: number,
  { offset, limit }: { offset: number; limit: number },
): PinnedPage {
  const placed = pins
    .toSorted((one, other) => one.position - other.position)
    .reduce<RulePin[]>((done, { rowId: id, position }, i) => {
      const next = (done.at(-1)?.position ?? -1) + 1;
      done.push({ rowId: id, position: Math.max(next, Math.min(position, others + i)) });
      return done;
    }, []);
  const before = placed.filter(({ position }) => position < offset).length;
  const here = new Map(
    placed
      .filter(({ position }) => position >= offset && position < offset + limit)
      .map(({ rowId: id, position }) => [position, id]),
  );
  return {
    offset: Math.max(0, offset - before),
    limit: limit - here.size,
    fill(ranked) {
      const page: number[] = [];
      let next = 0;
      for (let position = offset; position < offset + limit; position++) {
        const id = here.get(position) ?? ranked[next++];
        if (id !== undefined) page.push(id);
      }
      return page;
    },
  };
}
