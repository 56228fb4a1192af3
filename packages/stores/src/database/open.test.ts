import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";

const rounds = 60;

test("a new database is created by the first of four threads, and opened by all", async () => {
  const folder = mkdtempSync(join(tmpdir(), "open-"));
  const worker = new URL("../../testing/open-store-worker.ts", import.meta.url);
  const threads = Array.from({ length: 4 }, () => new Worker(worker));
  onTestFinished(async () => {
    await Promise.all(threads.map((thread) => thread.terminate()));
    rmSync(folder, { recursive: true });
  });

  for (let round = 0; round < rounds; round++) {
    const opened = threads.map((thread) => once(thread, "message"));
    for (const thread of threads) thread.postMessage(join(folder, String(round)));
    expect((await Promise.all(opened)).flat()).toEqual(["opened", "opened", "opened", "opened"]);
  }
});
