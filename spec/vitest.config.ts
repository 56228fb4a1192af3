import { defineConfig } from "vitest/config";

// Generous, because other suites may use the same cores: a hang is still found, a busy machine is no failure.
export default defineConfig({ test: { testTimeout: 300_000, hookTimeout: 300_000 } });
