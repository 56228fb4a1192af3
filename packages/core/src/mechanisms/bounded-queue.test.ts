import { expect, test } from "vitest";
import { createBoundedQueue } from "./bounded-queue.ts";

const never = new AbortController().signal;

function queueOf(concurrency: number, maxWaiting: number) {
  const queue = createBoundedQueue({ concurrency, maxWaiting, refusal: () => new Error("full") });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, signal = never) =>
    queue.run(() => {
      started.push(name);
      const { promise, resolve } = Promise.withResolvers<string>();
      ends.set(name, () => resolve(name));
      return promise;
    }, signal);
  return { queue, started, run, end: (name: string) => ends.get(name)?.() };
}

test("runs so many calls at once, in order, and refuses what would wait behind too many", async () => {
  const { started, run, end } = queueOf(2, 1);
  const running = [run("a"), run("b"), run("c")];
  await expect(run("d")).rejects.toThrow("full");
  expect(started).toEqual(["a", "b"]);
  end("b");
  expect(await running[1]).toBe("b");
  expect(started).toEqual(["a", "b", "c"]);
  end("a");
  end("c");
  expect(await Promise.all(running)).toEqual(["a", "b", "c"]);
});

test("never runs a call that leaves while it waits, and gives its place to another", async () => {
  const { started, run, end } = queueOf(1, 1);
  const leaving = new AbortController();
  const first = run("a");
  const second = run("b", leaving.signal);
  leaving.abort(new Error("left"));
  await expect(second).rejects.toThrow("left");
  const third = run("c");
  end("a");
  await first;
  end("c");
  expect(await third).toBe("c");
  expect(started).toEqual(["a", "c"]);
  await expect(run("d", leaving.signal)).rejects.toThrow("left");
});

test("a call that fails frees its place", async () => {
  const { queue } = queueOf(1, 0);
  await expect(queue.run(() => Promise.reject(new Error("down")), never)).rejects.toThrow("down");
  expect(await queue.run(async () => 1, never)).toBe(1);
});
