import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { endedChildrenMs, processorMs } from "./cpu-time.ts";

it("counts the processor time of this process and of children that have ended", () => {
  const before = processorMs(process.pid);
  const endedBefore = endedChildrenMs(process.pid);
  spawnSync(process.execPath, ["-e", "while (process.cpuUsage().user < 200_000);"]);
  expect(processorMs(process.pid) - before).toBeGreaterThanOrEqual(200);
  expect(endedChildrenMs(process.pid) - endedBefore).toBeGreaterThanOrEqual(200);
});

it("is 0 for a process that has ended", () => {
  expect(processorMs(2 ** 30)).toBe(0);
});
