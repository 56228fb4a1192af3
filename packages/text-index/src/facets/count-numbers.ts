/** How often each number occurs in a column at these documents. Plain indexing, no closures: an inner loop. */
export function countNumbers(
  counts: Uint32Array,
  column: Uint32Array,
  docs: Uint32Array,
  documents: number,
): void {
  for (let i = 0; i < documents; i++) {
    const number = column[docs[i] ?? 0] ?? 0;
    counts[number] = (counts[number] ?? 0) + 1;
  }
}
