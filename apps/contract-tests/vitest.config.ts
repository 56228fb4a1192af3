import { defineConfig } from "vitest/config";

// Dredd keeps state in globals: one file, one process.
export default defineConfig({
  test: { include: ["test/**/*.test.ts"], testTimeout: 300_000, hookTimeout: 600_000 },
});
