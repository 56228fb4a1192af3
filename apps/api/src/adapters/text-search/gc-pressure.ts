import type { Snapshot } from "@product-search/text-index";

/** Collecting takes tens of milliseconds. A large segment is replaced seldom: it need not call for that by itself. */
const maxBytes = 8 * 2 ** 20;

/**
 * V8 leaves shared memory out of what it thinks a thread holds. A thread that is handed one snapshot after the other sees no
 * reason to collect the handles of those it no longer needs, and the memory behind them stays: so each thread that
 * handles snapshots holds ordinary memory for their segments. It is never touched, hence costs addresses only, and
 * when it is given up the thread collects both.
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
