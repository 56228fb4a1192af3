import type { MappedItem } from "./profile/map-item.ts";

/** A part of the marketplace's list as one request gave it. */
export interface ListPart {
  /** Where it was asked to begin, and how long it was asked to be. */
  start: number;
  size: number;
  items: MappedItem[];
}

export interface MergedPages {
  items: MappedItem[];
  /** Whether the list moved between two requests so that products may be missing after `items`. */
  isTorn: boolean;
}

/**
 * Joins parts that overlap by a few products. Where the list moved in between, the shared products tell by how
 * much; where they are not found, products may have slipped through, and the joined list ends before the gap.
 */
export function mergePages(parts: readonly ListPart[], overlap: number): MergedPages {
  const [first, ...rest] = parts;
  const items = [...(first?.items ?? [])];
  let previous = first;
  for (const part of rest) {
    const expected = previous ? previous.start + previous.size - part.start : 0;
    const from = overlapStart(items, part.items, Math.max(expected, overlap));
    const isFull = previous !== undefined && previous.items.length >= previous.size;
    if (from === undefined && isFull && part.items.length > 0) return { items, isTorn: true };
    items.push(...part.items.slice(from ?? 0));
    previous = part;
  }
  return { items, isTorn: false };
}

/** Where in `next` the products begin that follow the last of `items`. */
function overlapStart(
  items: readonly MappedItem[],
  next: readonly MappedItem[],
  overlap: number,
): number | undefined {
  const positions = new Map(next.map(({ code }, at) => [code, at]));
  positions.delete(undefined);
  for (let at = items.length - 1; at >= Math.max(0, items.length - overlap); at--) {
    const found = positions.get(items[at]?.code);
    if (found !== undefined) return found + 1;
  }
  return undefined;
}
