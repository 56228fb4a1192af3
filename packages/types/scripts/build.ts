// Generates the published types from the bundled document: dist/index.d.ts (and .d.cts, for CommonJS) and dist/openapi.json.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import openapiTS, { astToString } from "openapi-typescript";
import { type OperationSource, operationTypes } from "./operation-types.ts";

const source = createRequire(import.meta.url).resolve("@product-search/spec/openapi.json");
const dist = new URL("../dist/", import.meta.url);

const text = await readFile(source, "utf8");
const document: OperationSource & { info: { title: string; version: string } } = JSON.parse(text);
const generated = await openapiTS(text, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  alphabetize: true,
});
const declarations = [
  `// ${document.info.title} ${document.info.version}. Generated from openapi.json beside this file; do not edit.`,
  astToString(generated),
  operationTypes(document),
].join("\n");

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await Promise.all([
  writeFile(new URL("index.d.ts", dist), declarations),
  writeFile(new URL("index.d.cts", dist), declarations),
  writeFile(new URL("openapi.json", dist), text),
]);
