import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: "../../apps/api/testing/fast-check-seed.ts",
    testTimeout: 60_000,
  },
});
