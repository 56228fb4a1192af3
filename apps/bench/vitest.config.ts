import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    tags: [{ name: "servers", description: "Needs a server or a program that a fresh machine lacks." }],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
