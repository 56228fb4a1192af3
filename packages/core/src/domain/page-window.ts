import { ApiError } from "../errors.ts";

/** The maximum number of products that paging can reach, in every search. */
export const maxReach = 10_000;

/** The number of products before the page. Fails with `invalid_request` if the page goes beyond the window. */
export function offsetOfPage(page: number, count: number): number {
  if (page * count <= maxReach) return (page - 1) * count;
  throw new ApiError(
    "invalid_request",
    `page: page × count is ${page * count}, but only the first ${maxReach} products can be paged through. ` +
      `With count ${count} the last page is ${Math.floor(maxReach / count)}.`,
  );
}

/** Whether the next page is inside the window. */
export function allowsNextPage(page: number, count: number): boolean {
  return (page + 1) * count <= maxReach;
}
