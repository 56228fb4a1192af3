import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: "test/global-setup.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Most of the time of many files is waiting: for processes, deadlines and servers.
    maxWorkers: 2,
  },
});
