/**
 * The index as all threads share it: a file that never changes (`base`), the vectors added since (`delta`), and the products
 * of the base that they replace (`removed`). One thread writes in place; the others see the changes at once.
 */
export interface VectorSegments {
  model: string;
  dimensions: number;
  base: { path: string; vectors: number } | undefined;
  delta: SharedArrayBuffer;
  removed: SharedArrayBuffer;
  /** The typical similarity of two products. */
  typicalSimilarity: number;
}

/** Keys of the base contain product and image: this many images per product are possible. */
export const imagesPerKey = 16;
const headerBytes = 16;

export interface Delta {
  readonly capacity: number;
  /** The number of rows; rows with the number 0 are void. */
  rows(): number;
  rowIdAt(row: number): number;
  /** All vectors, one after the other. */
  readonly vectors: Float32Array;
  /** The sequence up to which the segments have all changes of the vectors. */
  sequence(): number;
  append(rowId: number, vector: Float32Array): number;
  void(row: number): void;
  reach(sequence: number): void;
}

export function deltaBytes(dimensions: number, capacity: number): number {
  return headerBytes + capacity * 4 * (1 + dimensions);
}

export function openDelta(memory: SharedArrayBuffer, dimensions: number): Delta {
  const capacity = (memory.byteLength - headerBytes) / (4 * (1 + dimensions));
  const header = new BigInt64Array(memory, 0, 2);
  const rowIds = new Uint32Array(memory, headerBytes, capacity);
  const vectors = new Float32Array(memory, headerBytes + capacity * 4);
  const rows = () => Number(Atomics.load(header, 0));
  return {
    capacity,
    rows,
    rowIdAt: (row) => Atomics.load(rowIds, row),
    vectors,
    sequence: () => Number(Atomics.load(header, 1)),
    append(rowId, vector) {
      const row = rows();
      if (row >= capacity) throw new Error("The delta of the vector index is full.");
      vectors.set(new Float16Array(vector), row * dimensions);
      Atomics.store(rowIds, row, rowId);
      // Last, because from here on other threads read the row.
      Atomics.store(header, 0, BigInt(row + 1));
      return row;
    },
    void: (row) => void Atomics.store(rowIds, row, 0),
    reach: (sequence) => void Atomics.store(header, 1, BigInt(sequence)),
  };
}

export interface Removed {
  has(rowId: number): boolean;
  add(rowId: number): void;
}

/** One bit per product, up to the largest row id of the base. */
export function openRemoved(memory: SharedArrayBuffer): Removed {
  const bits = new Uint8Array(memory);
  return {
    has: (rowId) => ((Atomics.load(bits, rowId >>> 3) >>> (rowId & 7)) & 1) === 1,
    add(rowId) {
      if (rowId >>> 3 < bits.length) Atomics.or(bits, rowId >>> 3, 1 << (rowId & 7));
    },
  };
}
