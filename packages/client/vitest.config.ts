import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    typecheck: { enabled: true },
    // A long timeout, because other suites may use the same cores: it still catches a hang, but a busy machine does not fail.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // The files of a worker share the modules of the client.
    isolate: false,
  },
});
