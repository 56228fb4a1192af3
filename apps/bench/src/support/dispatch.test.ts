import { parseArgs } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import { dispatch } from "./dispatch.ts";
import { wholeNumber } from "./whole-number.ts";

const tasks = {
  count: {
    summary: "counts",
    smoke: [],
    load: async () => ({
      async run(args: readonly string[]) {
        const { values } = parseArgs({ args: [...args], options: { to: { type: "string", default: "3" } } });
        if (wholeNumber("--to", values.to) === 13) throw new Error("unlucky");
      },
    }),
  },
};

afterEach(() => {
  process.exitCode = 0;
  vi.restoreAllMocks();
});

it.each([
  [["--to", "many"], "--to many: write a whole number from 1"],
  [["--to", "0"], "--to 0: write a whole number from 1"],
  [["--to", ""], "--to : write a whole number from 1"],
  [["--two"], "Unknown option '--two'"],
])("says what is wrong with %j, and ends with 2", async (args, message) => {
  const print = vi.spyOn(console, "error").mockReturnValue();
  await dispatch("bench", tasks, ["count", ...args]);
  expect(print.mock.calls.join()).toContain(message);
  expect(print.mock.calls.join()).toContain("`pnpm bench count --help`");
  expect(process.exitCode).toBe(2);
});

it("does not hide other failures", async () => {
  await expect(dispatch("bench", tasks, ["count", "--to", "13"])).rejects.toThrow("unlucky");
});
