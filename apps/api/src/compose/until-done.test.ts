import { expect, test } from "vitest";
import { untilDone } from "./until-done.ts";

test("retries until the work succeeds, and reports the first of several failures", async () => {
  const errors: unknown[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts < 3) throw new Error(`attempt ${attempts}`);
    return "done";
  };
  const { signal } = new AbortController();
  expect(await untilDone(work, (error) => errors.push(error), signal, 1)).toBe("done");
  expect(errors).toEqual([new Error("attempt 1")]);
});

test("ends without a result when the signal aborts", async () => {
  const ending = new AbortController();
  const work = async () => {
    ending.abort();
    throw new Error("not yet");
  };
  expect(await untilDone(work, () => {}, ending.signal, 1)).toBeUndefined();
});
