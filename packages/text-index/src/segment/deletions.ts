/** One bit per document, set if it is deleted. Shared between threads; replaced, never changed. */
export type Deletions = Uint8Array;

export function isDeleted(deletions: Deletions, doc: number): boolean {
  return (((deletions[doc >>> 3] ?? 0) >>> (doc & 7)) & 1) === 1;
}

/** A copy in shared memory, for this many `documents`. */
export function copyDeletions(documents: number, from: Deletions | undefined): Uint8Array<SharedArrayBuffer> {
  const copy = new Uint8Array(new SharedArrayBuffer((documents + 7) >>> 3));
  if (from !== undefined) copy.set(from);
  return copy;
}

/** Marks a document; false if it was already marked. */
export function markDeleted(deletions: Uint8Array, doc: number): boolean {
  if (isDeleted(deletions, doc)) return false;
  deletions[doc >>> 3] = (deletions[doc >>> 3] ?? 0) | (1 << (doc & 7));
  return true;
}

/** The marked documents, in ascending order. */
export function deletedDocuments(deletions: Deletions | undefined): Uint32Array {
  const docs: number[] = [];
  deletions?.forEach((bits, i) => {
    for (let left = bits, doc = i << 3; left !== 0; left >>>= 1, doc++) if ((left & 1) === 1) docs.push(doc);
  });
  return Uint32Array.from(docs);
}
