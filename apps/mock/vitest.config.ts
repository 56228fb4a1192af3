import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Generous, because other suites may use the same cores: a hang is still found, a busy machine is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The files of a worker share the modules of the mock.
    isolate: false,
  },
});
