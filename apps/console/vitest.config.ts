import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
    globalSetup: "test/global-setup.ts",
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // A machine that does more than this at the same time answers late; what never comes fails all the same.
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
    // All files share the modules that they import; each has a browser of its own.
    isolate: false,
  },
});
