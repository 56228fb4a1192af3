import { expect, it } from "vitest";
import { perUnit } from "./measure-cluster.ts";

it("gives the processor time for each unit above that of the idle cluster", () => {
  const idle = { seconds: 5, processorMs: { service: 50, postgres: 100 } };
  const used = { seconds: 10, processorMs: { service: 2100, postgres: 150, command: 30 } };
  expect(perUnit(used, idle, 1000)).toEqual({ service: 2, postgres: 0, command: 0.03 });
});
