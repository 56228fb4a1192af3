import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createGcPressure } from "./newest-index.ts";

test("an idle thread frees the memory of former snapshots", async () => {
  const weigh = createGcPressure();
  const before = process.memoryUsage.rss();
  let most = 0;
  for (let sequence = 0; sequence < 250; sequence++) {
    const buffer = new SharedArrayBuffer(4e6);
    new Uint8Array(buffer).fill(1);
    weigh({
      sequence,
      segments: [{ key: `segment ${sequence}`, buffer, deletions: undefined, deletedCount: 0 }],
    });
    await setImmediate();
    most = Math.max(most, process.memoryUsage.rss());
  }
  // Together they have a thousand megabytes.
  expect(most - before).toBeLessThan(400e6);
});
