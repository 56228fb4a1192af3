import { defineConfig } from "vitest/config";

// Long limits, because other suites may use the same cores: they still catch a hang.
export default defineConfig({
  test: {
    tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
