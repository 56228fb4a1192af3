import { expect, test } from "vitest";
import { createCallsInFlight, createStreamsInFlight, shareRunning } from "./share-in-flight.ts";

const never = new AbortController().signal;

test("calls with the same key share a run while it lasts", async () => {
  const calls = createCallsInFlight<string, number>();
  let starts = 0;
  const start = async () => ++starts;
  const first = calls.share("a", start);
  expect(calls.isRunning("a")).toBe(true);
  expect(await Promise.all([first, calls.share("a", start), calls.share("b", start)])).toEqual([1, 1, 2]);
  expect(calls.isRunning("a")).toBe(false);
  expect(await calls.share("a", start)).toBe(3);
});

test("a failure reaches everybody who waits, and the next call starts again", async () => {
  const calls = createCallsInFlight<string, number>();
  const fail = () => Promise.reject(new Error("down"));
  const both = await Promise.allSettled([calls.share("a", fail), calls.share("a", fail)]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await calls.share("a", async () => 1)).toBe(1);
});

test("work without a key runs once at a time", async () => {
  let runs = 0;
  const run = shareRunning(async () => ++runs);
  expect(await Promise.all([run(), run()])).toEqual([1, 1]);
  expect(await run()).toBe(2);
});

test("a stream is shared from its first item, and aborted when its last caller leaves", async () => {
  const share = createStreamsInFlight<number>();
  const starts: AbortSignal[] = [];
  const start = async function* (signal: AbortSignal) {
    starts.push(signal);
    yield 1;
    yield 2;
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const first = share("a", start, never);
  expect((await first.next()).value).toBe(1);
  expect((await first.next()).value).toBe(2);
  const late = share("a", start, never);
  expect((await late.next()).value).toBe(1);
  await first.return(undefined);
  expect(starts.map(({ aborted }) => aborted)).toEqual([false]);
  await late.return(undefined);
  expect(starts.map(({ aborted }) => aborted)).toEqual([true]);
  const again = share("a", start, never);
  expect((await again.next()).value).toBe(1);
  await again.return(undefined);
  expect(starts).toHaveLength(2);
});
