import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["*.test.ts"],
    globalSetup: "global-setup.ts",
    testTimeout: 120_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
