import { defineConfig } from "vitest/config";

// A long timeout, because other suites may use the same cores: it still catches a hang, but a busy machine does not fail.
export default defineConfig({
  test: { typecheck: { enabled: true }, testTimeout: 300_000, hookTimeout: 300_000 },
});
