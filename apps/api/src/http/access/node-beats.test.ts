import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { beatFields, type NodeBeats, startNodeBeats } from "./node-beats.ts";

const everyMs = 20;

function createNode() {
  const cells = new Int32Array(new SharedArrayBuffer(beatFields * Int32Array.BYTES_PER_ELEMENT));
  return async (beat: () => Promise<number>): Promise<NodeBeats> => {
    const beats = await startNodeBeats({ cells, at: 0, beat, onError: () => {}, everyMs });
    onTestFinished(() => beats.stop());
    return beats;
  };
}

test("one thread of a node sends its heartbeats, and all know the number of nodes", async () => {
  let sent = 0;
  const startThread = createNode();
  const threads: NodeBeats[] = [];
  for (let thread = 0; thread < 10; thread++)
    threads.push(
      await startThread(async () => {
        sent += 1;
        return 3;
      }),
    );
  await setTimeout(10 * everyMs);
  expect(sent).toBeGreaterThan(3);
  // Each new thread sends one when it starts.
  expect(sent).toBeLessThan(10 + 15);
  expect(threads.map(({ nodes }) => nodes())).toEqual(threads.map(() => 3));
});

test.each([
  ["ends", undefined],
  ["gets no reply", () => new Promise<number>(() => {})],
  ["cannot reach the database", () => Promise.reject(new Error("down"))],
])("another thread takes over when the one that sends them %s", async (_, fault) => {
  const startThread = createNode();
  const sent: [number, number] = [0, 0];
  const faults: (typeof fault)[] = [];
  const start = (number: 0 | 1) =>
    startThread(async () => {
      sent[number] += 1;
      return faults[number]?.() ?? 2 - number;
    });
  const threads = [await start(0), await start(1)];
  await expect.poll(() => sent[1], { interval: 5 }).toBeGreaterThan(3);
  const [before] = sent;
  if (fault === undefined) threads[1]?.stop();
  else faults[1] = fault;
  await expect.poll(() => sent[0], { interval: 5 }).toBeGreaterThan(before + 2);
  expect(threads[0]?.nodes()).toBe(2);
});

test("nodes that have not reported again after a failure still count, for three heartbeats", async () => {
  const startThread = createNode();
  const replies = [3, undefined, undefined, 1, 1, 1, 1, 1];
  const known: (number | undefined)[] = [];
  let thread: NodeBeats | undefined;
  thread = await startThread(async () => {
    known.push(thread?.nodes());
    const count = replies.shift();
    if (count === undefined) throw new Error("down");
    return count;
  });
  await expect.poll(() => known.length, { interval: 5 }).toBeGreaterThan(7);
  expect(known.slice(0, 8)).toEqual([undefined, 3, 3, 3, 3, 3, 3, 1]);
});
