import { setTimeout } from "node:timers/promises";
import { pino } from "pino";
import { expect, it } from "vitest";
import { runPart, stopAll } from "./part-runner.ts";

const full = Object.assign(new Error("full"), { code: "SQLITE_FULL" });

/** A part whose first starts fail with the given errors. */
function countingPart(faults: Error[], canWait = true) {
  const lines: string[] = [];
  const events: string[] = [];
  let fail = (_: unknown) => {};
  const running = runPart({
    async start(failed) {
      events.push("start");
      const fault = faults.shift();
      if (fault) throw fault;
      fail = failed;
      return { stop: async () => void events.push("stop") };
    },
    onStopped: () => void events.push("stopped"),
    canWait,
    logger: pino({}, { write: (line: string) => void lines.push(line) }),
  });
  return { running, events, lines, fail: (error: unknown) => fail(error) };
}

it("starts a part again that failed, after stopping it", async () => {
  const { running, events, lines, fail } = countingPart([]);
  const part = await running;
  fail(new Error("broken"));
  await expect.poll(() => events, { timeout: 60_000 }).toEqual(["start", "stop", "stopped", "start"]);
  expect(lines.join("")).toContain("broken");
  await part.stop();
  expect(events.at(-1)).toBe("stop");
});

it("goes on trying to start a part that ran before, whatever the fault", async () => {
  const faults: Error[] = [];
  const { running, events, fail } = countingPart(faults);
  const part = await running;
  faults.push(new Error("first"), new Error("second"));
  fail(new Error("broken"));
  await expect.poll(() => events.filter((event) => event === "start"), { timeout: 60_000 }).toHaveLength(4);
  await part.stop();
});

it("starts a part later if the disk is full, and is ready without it", async () => {
  const { running, events } = countingPart([full]);
  const part = await running;
  await expect.poll(() => events, { timeout: 60_000 }).toEqual(["start", "stopped", "start"]);
  await part.stop();
});

it.each<[string, Error, boolean]>([
  ["for another reason", new Error("broken"), true],
  ["that the service needs", full, false],
])("rejects if a part cannot start %s", async (_, fault, canWait) => {
  const { running, events } = countingPart([fault], canWait);
  await expect(running).rejects.toThrow(fault.message);
  expect(events).toEqual(["start"]);
});

it("starts nothing after it was stopped", async () => {
  const { running, events, fail } = countingPart([]);
  const part = await running;
  fail(new Error("broken"));
  await part.stop();
  const before = [...events];
  await setTimeout(300);
  expect(events).toEqual(before);
  expect(before.filter((event) => event === "start")).toHaveLength(1);
});

it("also stops a part that has started while others were stopped", async () => {
  const stopped: string[] = [];
  const late = { stop: async () => void stopped.push("late") };
  const parts = [
    { stop: async () => void stopped.push("first") },
    {
      async stop() {
        await setTimeout(1);
        parts.push(late);
        stopped.push("second");
      },
    },
  ];
  await stopAll(parts);
  expect(stopped).toEqual(["first", "second", "late"]);
});
