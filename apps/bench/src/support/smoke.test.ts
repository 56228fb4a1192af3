import { afterEach, expect, it, vi } from "vitest";
import { runSmoke, type Smoke } from "./smoke.ts";

const print = vi.spyOn(console, "log").mockReturnValue();
afterEach(() => void print.mockClear());

/** Each task is a program. */
const run = (programs: Record<string, Smoke>) => {
  const tasks = Object.entries(programs).map(([name, smoke]) => [name, { smoke }] as const);
  return runSmoke("bench", Object.fromEntries(tasks), (_, [program = ""]) => ["-e", program]);
};
const printed = () => print.mock.calls.map(([line]) => String(line)).join("\n");

it("passes what prints figures, and says what was skipped", async () => {
  expect(await run({ text: ["console.log(1)"], cluster: { needs: "PostgreSQL" } })).toBe(0);
  expect(printed()).toMatch(/^pnpm bench text: passed in/m);
  expect(printed()).toContain("SKIPPED: pnpm bench cluster | it needs PostgreSQL");
  expect(printed()).toContain("1 passed, 0 failed, 1 skipped");
});

it.each([
  ["throw new Error('answer is missing')", "status 1"],
  ["process.exit(2)", "status 2"],
  ["console.error('only this')", "it printed no figures"],
  ["process.kill(process.pid, 'SIGTERM')", "ended by SIGTERM"],
])("fails %s", async (program, fault) => {
  expect(await run({ one: [program], two: ["console.log(2)"] })).toBe(1);
  expect(printed()).toContain(`pnpm bench one: FAILED (${fault}`);
  expect(printed()).toContain("1 passed, 1 failed, 0 skipped");
  if (program.includes("answer is missing")) expect(printed()).toContain("Error: answer is missing");
});
