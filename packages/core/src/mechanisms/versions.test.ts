import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { pause } from "./retry.ts";
import { createWakeup } from "./versions.ts";

const { signal } = new AbortController();

test("a signal ends the wait, or the next one, once", async () => {
  let changes = 0;
  const wakeup = createWakeup(async (ms) => {
    changes += 1;
    await setTimeout(ms);
  });
  const waiting = wakeup.wait(200, signal);
  wakeup.signal();
  await waiting;
  wakeup.signal();
  await wakeup.wait(200, signal);
  const startedAt = performance.now();
  await wakeup.wait(200, signal);
  expect(performance.now() - startedAt).toBeGreaterThan(100);
  // The first wait for a change was still going on.
  expect(changes).toBe(1);
});

test("a change, or the end of its signal, ends the wait", async () => {
  const stopping = new AbortController();
  const wakeup = createWakeup(pause);
  await wakeup.wait(1, stopping.signal);
  const waiting = wakeup.wait(60_000, stopping.signal);
  stopping.abort();
  await waiting;
});

test("what fails while it waits for a change fails the wait", async () => {
  const wakeup = createWakeup(async () => {
    throw new Error("no store");
  });
  await expect(wakeup.wait(1, signal)).rejects.toThrow("no store");
});
