/** How the suites of packages run: the `test` part of their vitest.config.ts. */
export const unitTests = {
  include: ["src/**/*.test.ts", "test/**/*.test.ts"],
  tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
  // Far beyond what a quiet machine needs: only a hanging test is to end here, not a slow one.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
  maxWorkers: 2,
  // The files of a worker share the modules that they import: to evaluate these for each file anew took longer than many of
  // the tests. So a file leaves nothing behind in a module, in `process` or in a global.
  isolate: false,
};

/** With properties of fast-check. */
export const propertyTests = { ...unitTests, setupFiles: "../testing/src/fast-check-seed.ts" };
