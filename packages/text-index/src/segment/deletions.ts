/** One bit a document, set when it was deleted. Shared between threads, replaced rather than changed. */
export type Deletions = Uint8Array;

export function isDeleted(deletions: Deletions, doc: number): boolean {
  return (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1;
}

/** A copy on shared memory, with room for `documents`. */
export function copyDeletions(documents: number, from: Deletions | undefined): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer((documents + 7) >>> 3));
  if (from !== undefined) copy.set(from);
  return copy;
}

/** Marks a document; false when it was marked already. */
export function markDeleted(deletions: Uint8Array, doc: number): boolean {
  if (isDeleted(deletions, doc)) return false;
  deletions[doc >>> 3] = (deletions[doc >>> 3] ?? 0) | (1 << (doc & 7));
  return true;
}

/** The documents that are marked, in ascending order. */
export function deletedDocuments(deletions: Deletions | undefined): Uint32Array {
  const docs: number[] = [];
  deletions?.forEach((bits, i) => {
    for (let left = bits, doc = i << 3; left !== 0; left >>>= 1, doc++) if ((left & 1) === 1) docs.push(doc);
  });
  return Uint32Array.from(docs);
}
