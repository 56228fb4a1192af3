import { defineConfig } from "vitest/config";

export default defineConfig({
  // Far beyond what a quiet machine needs: only a hanging test is to end here, not a slow one.
  test: {
    include: ["src/**/*.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
});
