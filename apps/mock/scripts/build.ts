// Bundles the mock: `npx` starts at once, and nobody gets a Prism of another version than was tested.
// With esbuild, because parts of Prism are CommonJS that only works where `this` is `exports`.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { documentTypes } from "@product-search/http-rules/documents.ts";
import { parseImageAddress, sampleImageSvg, sampleProduct } from "@product-search/sample-catalog";
import { operations } from "@product-search/spec/operations";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import sharp from "sharp";
import { describeMissingHandlers } from "../../../scripts/missing-handlers.ts";
import { productCount } from "../src/service/settings.ts";

const size = 200;
const quality = 64;

/** Draws the images of the first products of the sample catalog into one file, and how many bytes each has into another. */
async function drawImages(products: number, folder: string): Promise<void> {
  const addresses = new Set(
    Array.from({ length: products }, (_, number) =>
      sampleProduct(number, { currencyDecimals: 2, nowMs: 0 }),
    ).flatMap(({ images }) => images),
  );
  const images: [address: string, image: Buffer][] = [];
  for (const address of addresses) images.push([address, await drawImage(address)]);
  await writeFile(`${folder}/images.bin`, Buffer.concat(images.map(([, image]) => image)));
  const lengths = Object.fromEntries(images.map(([address, image]) => [address, image.length]));
  await writeFile(`${folder}/images.json`, JSON.stringify(lengths));
}

function drawImage(address: string): Promise<Buffer> {
  const name = parseImageAddress(address);
  if (name === undefined) throw new Error(`${address} is not the address of a sample image.`);
  return sharp(Buffer.from(sampleImageSvg(name, size)))
    .jpeg({ quality, mozjpeg: true })
    .toBuffer();
}

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
  target: "node24",
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
  outdir: dist,
  // The protocol of assistants is a file of its own, loaded on their first message.
  splitting: true,
  plugins: [prismBeside],
});
const inputs = [prism, mock].flatMap(({ metafile }) => Object.keys(metafile.inputs));
await writeFile(`${dist}/NOTICES.txt`, await noticesOf(inputs));
const { resolve } = createRequire(import.meta.url);
for (const name of Object.keys(documentTypes))
  await copyFile(resolve(`@product-search/spec/${name}`), `${dist}/${name}`);
await mkdir(`${dist}/dictionary`);
for (const name of ["index.aff", "index.dic", "license"])
  await copyFile(new URL(name, import.meta.resolve("dictionary-en")), `${dist}/dictionary/${name}`);
await drawImages(productCount, dist);

/** The licences of the packages that were bundled, as they ask for. `files` are the bundled files. */
async function noticesOf(files: string[]): Promise<string> {
  const folders = new Set(
    files.flatMap((file) => file.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/)?.[0] ?? []),
  );
  const notices = await Promise.all([...folders].map(noticeOf));
  return `The mock contains these packages.\n\n${[...new Set(notices)].toSorted().join("\n")}`;
}

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license, licenses } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return `=== ${name} ${version} (${license ?? licenses?.[0]?.type})\n${texts.map((text) => `\n${text.trim()}\n`).join("")}`;
}
