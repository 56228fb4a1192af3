import { defineConfig } from "tsdown";

const common = defineConfig({
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  // Nothing is left to install: neither code nor types.
  deps: { alwaysBundle: ["openapi-fetch"], onlyBundle: ["openapi-fetch"] },
  dts: true,
  outExtensions: ({ format }) =>
    format === "cjs" ? { js: ".cjs", dts: ".d.cts" } : { js: ".js", dts: ".d.ts" },
});

/** A bundle for each, so that each is a single file. */
export default defineConfig([
  {
    ...common,
    entry: "src/index.ts",
    banner: { js: "/*! Contains openapi-fetch (MIT, Copyright (c) 2023 Drew Powers). */" },
  },
  { ...common, entry: "src/testing.ts", clean: false },
  { ...common, entry: "src/tanstack.ts", clean: false },
]);
