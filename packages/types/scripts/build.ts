// Generates what is published from the bundled document, each for ES modules and for CommonJS: the types (dist/index.d.ts, index.d.cts),
// the error codes and values (dist/index.js, index.cjs), and the document itself (dist/openapi.json).
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import openapiTS, { astToString } from "openapi-typescript";
import { type EnumSource, enumValues } from "./enum-values.ts";
import { type ErrorCodeSource, statusOfCode } from "./error-codes.ts";
import { nameSchemas } from "./named-schemas.ts";
import { type OperationSource, operationTypes } from "./operation-types.ts";

const source = createRequire(import.meta.url).resolve("@product-search/spec/openapi.json");
const dist = new URL("../dist/", import.meta.url);

const text = await readFile(source, "utf8");
const document: OperationSource &
  ErrorCodeSource &
  EnumSource & { info: { title: string; version: string } } = JSON.parse(text);
const generated = await openapiTS(text, {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  alphabetize: true,
});
const codes = statusOfCode(document);
const values = enumValues(document);
const headline = `// ${document.info.title} ${document.info.version}. Generated from openapi.json beside this file; do not edit.\n`;
const declarations = [
  headline,
  astToString(nameSchemas(generated)),
  operationTypes(document),
  codes.declaration,
  values.declaration,
].join("\n");

await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await Promise.all([
  writeFile(new URL("index.d.ts", dist), declarations),
  writeFile(new URL("index.d.cts", dist), declarations),
  writeFile(new URL("index.js", dist), `${headline}${codes.module}${values.module}`),
  writeFile(new URL("index.cjs", dist), `${headline}${codes.commonJs}${values.commonJs}`),
  writeFile(new URL("openapi.json", dist), text),
]);
