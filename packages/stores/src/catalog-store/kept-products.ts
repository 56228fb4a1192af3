import type { ProductWithHistory } from "@product-search/core/domain/product.ts";
import type { CatalogReads } from "@product-search/core/ports/catalog-store.ts";

/** Of the texts and prices of all kept products, in characters and what takes as much. */
const defaultCapacity = 12_000_000;
/** What a product takes besides its texts: its objects, and its JSON in responses. */
const objectsOfProduct = 1500;
const objectsOfPrice = 120;
/** Of further changes than these, everything is forgotten. */
const maxChanges = 1000;
/** Of the rows that were read once, so many are remembered. What is read rarely is not kept: it would soon be garbage, in the old heap. */
const maxNoted = 1024;

/**
 * Keeps products that are read again and again with their prices, and forgets those that change: the log of changes is
 * asked before each read, in any process that writes. Kept objects are frozen, so that what is made of them can be kept, too.
 */
export function keepProducts(
  store: Pick<CatalogReads, "findWithHistory" | "lastSequence" | "changesAfter">,
  capacity = defaultCapacity,
): CatalogReads["findWithHistory"] {
  const kept = createKept(capacity);
  let sequence = -1;
  let limit = -1;

  const forgetChanged = async (): Promise<void> => {
    const newest = await store.lastSequence();
    if (newest === sequence) return;
    const changes = newest > sequence && sequence >= 0 ? await store.changesAfter(sequence, maxChanges) : [];
    if (changes.length === 0 || changes.length === maxChanges) kept.clear();
    for (const { rowId } of changes) kept.delete(rowId);
    sequence = Math.max(newest, changes.at(-1)?.sequence ?? newest);
  };

  return async (rowIds, historyLimit) => {
    if (historyLimit !== limit) kept.clear();
    limit = historyLimit;
    await forgetChanged();
    const found = rowIds.map((rowId) => kept.get(rowId));
    if (!found.includes(undefined)) return found.filter((product) => product !== undefined);
    const at = sequence;
    const missing = rowIds.filter((_, i) => found[i] === undefined);
    const read = await store.findWithHistory(missing, historyLimit);
    // After a change meanwhile, what was read may be older.
    const isNewest = at === sequence && limit === historyLimit;
    const readOf = new Map(read.map((product) => [product.product.rowId, product]));
    if (isNewest) for (const [rowId, product] of readOf) kept.offer(rowId, product);
    return rowIds.flatMap((rowId, i) => found[i] ?? readOf.get(rowId) ?? []);
  };
}

interface Kept {
  get(rowId: number): ProductWithHistory | undefined;
  /** Keeps what is offered for the second time. */
  offer(rowId: number, product: ProductWithHistory): void;
  delete(rowId: number): void;
  clear(): void;
}

interface Entry {
  readonly found: ProductWithHistory;
  readonly size: number;
}

/** What was used last is in `recent`. When that is full, what was used before it is forgotten. */
function createKept(capacity: number): Kept {
  let recent = new Map<number, Entry>();
  let older = new Map<number, Entry>();
  let size = 0;
  const noted = new Set<number>();
  const keep = (rowId: number, entry: Entry) => {
    if (size >= capacity / 2) {
      older = recent;
      recent = new Map();
      size = 0;
    }
    size += entry.size;
    recent.set(rowId, entry);
  };
  return {
    get(rowId) {
      const newest = recent.get(rowId);
      if (newest !== undefined) return newest.found;
      const known = older.get(rowId);
      if (known !== undefined) keep(rowId, known);
      return known?.found;
    },
    offer(rowId, found) {
      if (noted.delete(rowId)) {
        const characters = charactersIn(found.product);
        const size = objectsOfProduct + found.history.length * objectsOfPrice + characters;
        return keep(rowId, { found: Object.freeze(found), size });
      }
      if (noted.size >= maxNoted) noted.clear();
      noted.add(rowId);
    },
    delete(rowId) {
      size -= recent.get(rowId)?.size ?? 0;
      recent.delete(rowId);
      older.delete(rowId);
    },
    clear() {
      recent = new Map();
      older = new Map();
      size = 0;
    },
  };
}

/** Of all texts in it. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charactersIn(part), 0);
}
