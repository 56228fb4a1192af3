import { fileURLToPath } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** An import of `node:http` reads all its exports, and some load Node's own WebSocket: 20 ms and 4 MB for each thread. */
const requireHttp: Plugin = {
  name: "require node:http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "node:http", namespace: "require" } : undefined,
    );
    onLoad({ filter: /./, namespace: "require" }, ({ path }) => ({
      contents: `module.exports = require("${path}");`,
    }));
  },
};

export const bundle = {
  plugins: [requireHttp],
  entryPoints: {
    main: `${root}src/main.ts`,
    entry: `${root}src/runtime/entry.ts`,
    "sort-thread": `${root}../../packages/stores/src/staging/sort-thread.ts`,
  },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node26",
  // The ES module builds first: the others of some packages hide their parts from bundlers.
  mainFields: ["module", "main"],
  // Packages that read files beside their own.
  external: ["pg-native", "sharp", "usearch"],
  banner: {
    js: 'import { createRequire as requireFor } from "node:module";const require = requireFor(import.meta.url);',
  },
  // Every thread keeps the source of what it loads. Names stay, and lines are short, so that a stack trace without source maps
  // still leads to the function.
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  legalComments: "linked",
  sourcemap: true,
  sourcesContent: false,
  logLevel: "warning",
} satisfies BuildOptions;
