import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: "../testing/src/fast-check-seed.ts",
    testTimeout: 300_000,
  },
});
