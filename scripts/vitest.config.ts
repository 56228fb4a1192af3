import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
    testTimeout: 300_000,
    hookTimeout: 600_000,
    fileParallelism: false,
    projects: [
      {
        extends: true,
        // These tests run the blocks of the pages with one service and one mock, which start once for all of them.
        test: {
          name: "docs",
          include: ["docs*.test.ts"],
          exclude: ["docs-operation.test.ts"],
          globalSetup: "global-setup.ts",
        },
      },
      {
        extends: true,
        test: {
          name: "checks",
          include: ["*.test.ts"],
          exclude: ["docs*.test.ts"],
        },
      },
      // Builds a copy of the tree and runs its suites: a process of its own, so that others need not wait for it.
      { extends: true, test: { name: "operation", include: ["docs-operation.test.ts"] } },
    ],
  },
});
