import { configDefaults, defineConfig } from "vitest/config";

const settings = {
  tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
  setupFiles: "../../packages/testing/src/fast-check-seed.ts",
  // Far beyond what a quiet machine needs: only a hanging test is to end here, not a slow one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  // Most of the time of many files is waiting: for processes, deadlines and servers.
  maxWorkers: 2,
};
/** What measures the memory of its process, and what kills others. */
const alone = ["src/http/connections/connections.test.ts", "test/histories/**/*.test.ts"];

export default defineConfig({
  test: {
    globalSetup: "test/global-setup.ts",
    projects: [
      {
        test: {
          ...settings,
          name: "shared",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...alone],
          // The files of a worker share the modules of the service, as `unitTests` has it for packages.
          isolate: false,
        },
      },
      { test: { ...settings, name: "alone", include: alone } },
    ],
  },
});
