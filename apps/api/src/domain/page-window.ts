import { ApiError } from "../errors.ts";

/** Paging ends here, in every search. */
export const maxReach = 10_000;

/** How many products lie before the page; fails with `invalid_request` when the page reaches beyond the window. */
export function offsetOfPage(page: number, count: number): number {
  if (page * count <= maxReach) return (page - 1) * count;
  throw new ApiError(
    "invalid_request",
    `page: page × count is ${page * count}, but only the first ${maxReach} products can be paged through. ` +
      `With count ${count} the last page is ${Math.floor(maxReach / count)}.`,
  );
}

/** Whether the page after this one lies inside the window. */
export function allowsNextPage(page: number, count: number): boolean {
  return (page + 1) * count <= maxReach;
}
