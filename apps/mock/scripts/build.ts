// Bundles the mock: `npx` starts at once, and nobody gets a Prism of another version than was tested.
// With esbuild, because parts of Prism are CommonJS that only works where `this` is `exports`.
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { operations } from "@product-search/spec/operations";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import { describeMissingHandlers } from "../../../scripts/missing-handlers.ts";
import { productCount } from "../src/service/settings.ts";
import { drawPictures } from "./draw-pictures.ts";
import { noticesOf } from "./notices.ts";

const fault = await describeMissingHandlers(Object.keys(operations), transform);
if (fault !== undefined) {
  console.error(fault);
  process.exit(1);
}

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = `${root}dist`;

/** Prism makes up words in one language: the others take 4 MB. */
const fakerInEnglish: Plugin = {
  name: "faker in English",
  setup({ onResolve, onLoad }) {
    const namespace = "faker";
    onResolve({ filter: /^@faker-js\/faker$/ }, ({ resolveDir }) => ({
      path: "faker",
      namespace,
      pluginData: resolveDir,
    }));
    onLoad({ filter: /.*/, namespace }, ({ pluginData }) => ({
      contents:
        'const faker = require("@faker-js/faker/locale/en"); module.exports = { faker, default: faker };',
      resolveDir: pluginData,
    }));
  },
};

/** The mock's own file imports Prism's. */
const prismBeside: Plugin = {
  name: "Prism beside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/prism\.ts$/ }, ({ kind }) =>
      kind === "entry-point" ? undefined : { path: "./prism.js", external: true },
    ),
};

const common = {
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
} satisfies BuildOptions;

await rm(dist, { recursive: true, force: true });
// Nobody reads Prism here; our own code stays readable.
const prism = await build({
  ...common,
  entryPoints: [`${root}src/engine/prism.ts`],
  outfile: `${dist}/prism.js`,
  plugins: [fakerInEnglish],
  minify: true,
  legalComments: "none",
});
const mock = await build({
  ...common,
  entryPoints: [`${root}src/main.ts`],
  outfile: `${dist}/main.js`,
  plugins: [prismBeside],
});
const inputs = [prism, mock].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(`${dist}/NOTICES.txt`, await noticesOf(inputs));
await copyFile(
  createRequire(import.meta.url).resolve("@product-search/spec/openapi.json"),
  `${dist}/openapi.json`,
);
await mkdir(`${dist}/dictionary`);
for (const name of ["index.aff", "index.dic", "license"])
  await copyFile(new URL(name, import.meta.resolve("dictionary-en")), `${dist}/dictionary/${name}`);
await drawPictures(productCount, dist);
