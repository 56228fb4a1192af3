import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
    setupFiles: "../../packages/testing/src/fast-check-seed.ts",
    globalSetup: "test/global-setup.ts",
    // Far beyond what a quiet machine needs: only a hanging test is to end here, not a slow one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // Most of the time of many files is waiting: for processes, deadlines and servers.
    maxWorkers: 2,
  },
});
