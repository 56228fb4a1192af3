import type { Snapshot } from "@product-search/text-index";

/** A collection takes tens of milliseconds. Large segments are rarely replaced and need not cause collections alone. */
const maxBytes = 8 * 2 ** 20;

/**
 * V8 does not count shared memory. A thread that gets one snapshot after another sees no reason to collect the
 * handles of former ones, so their memory is never freed. Therefore each thread with snapshots holds ordinary memory
 * for their segments. It is never touched, so it takes only address space. When it is released, the thread collects
 * both.
 */
export function createGcPressure(): (snapshot: Snapshot) => void {
  let buffers = new Map<string, Buffer>();
  return ({ segments }) => {
    buffers = new Map(
      segments.flatMap(({ key, buffer, deletions, deletedCount }) => {
        const bufferFor = (name: string, bytes: number): [string, Buffer] => [
          name,
          buffers.get(name) ?? Buffer.allocUnsafeSlow(Math.min(bytes, maxBytes)),
        ];
        const segment = bufferFor(key, buffer.byteLength);
        return deletions === undefined
          ? [segment]
          : [segment, bufferFor(`${key} ${deletedCount}`, deletions.byteLength)];
      }),
    );
  };
}
