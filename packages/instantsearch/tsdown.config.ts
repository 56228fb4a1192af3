import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/index.ts",
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  // Nothing is left to install: neither code nor types.
  deps: { onlyBundle: [] },
  dts: true,
  minify: true,
  outExtensions: ({ format }) =>
    format === "cjs" ? { js: ".cjs", dts: ".d.cts" } : { js: ".js", dts: ".d.ts" },
});
