// Bundles the mock with Prism into one file: `npx` starts at once, and nobody gets a Prism of another version than was tested.
// With esbuild, because parts of Prism are CommonJS that only works where `this` is `exports`.
import { copyFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { noticesOf } from "./notices.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = createRequire(import.meta.url).resolve("@product-search/spec/openapi.json");

await rm(`${root}dist`, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: [`${root}src/main.ts`],
  outfile: `${root}dist/main.js`,
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // The ES module builds first: the others of some packages hide their parts from bundlers.
  mainFields: ["module", "main"],
  banner: {
    js: 'import { createRequire as requireFor } from "node:module";const require = requireFor(import.meta.url);',
  },
  logLevel: "warning",
  metafile: true,
});
await writeFile(`${root}dist/NOTICES.txt`, await noticesOf(Object.keys(metafile.inputs)));
await copyFile(document, `${root}dist/openapi.json`);
