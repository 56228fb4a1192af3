import type { MappedItem } from "./profile/map-item.ts";

/** A part of the marketplace's list, as returned by one request. */
export interface ListPart {
  /** The requested start, and the requested length. */
  start: number;
  size: number;
  items: MappedItem[];
}

export interface MergedPages {
  items: MappedItem[];
  /** Whether the list changed so much between two requests that products may be missing after `items`. */
  isTorn: boolean;
}

/**
 * Joins parts that overlap by a few products. If the list changed in between, the shared products show by how much. If
 * there are no shared products, some may be missing, and the joined list ends before the gap.
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

/** The index in `next` of the first product after the last of `items`. */
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
