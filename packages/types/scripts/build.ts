// Generates what is published from the bundled document, each for ES modules and for CommonJS: the types (dist/index.d.ts, index.d.cts),
// the error codes and values (dist/index.js, index.cjs), and the document itself (dist/openapi.json).
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { nameSchemas } from "./named-schemas.ts";

const source = new URL("../../../spec/dist/openapi.json", import.meta.url);
const dist = new URL("../dist/", import.meta.url);

const text = await readFile(source, "utf8");
const document: OperationSource &
  ErrorCodeSource &
  EnumSource &
  DescribedSchemas & { info: { title: string; version: string } } = JSON.parse(text);
const generated = await openapiTS(JSON.stringify(withDescribedFields(document)), {
  rootTypes: true,
  rootTypesNoSchemaPrefix: true,
  alphabetize: true,
  transform: (schema) => valueTypes(Object(schema)),
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

/**
 * A field that only refers to a schema gets the description of that schema: an editor shows it for the field, not only for
 * its type.
 */
function withDescribedFields<Value>(document: Value & DescribedSchemas): Value {
  const { schemas } = document.components;
  const refersTo = /^#\/components\/schemas\/(\w+)$/;
  return JSON.parse(JSON.stringify(document), (key, value) => {
    if (key !== "properties" || value === null || typeof value !== "object") return value;
    for (const field of Object.values<{ $ref?: unknown; description?: string } | null>(value)) {
      const [, name = ""] = refersTo.exec(String(field?.$ref)) ?? [];
      const description = schemas[name]?.description;
      if (field && description !== undefined) field.description ??= description;
    }
    return value;
  });
}

/** The part of an OpenAPI document that describes its schemas. */
interface DescribedSchemas {
  components: { schemas: Record<string, { description?: string }> };
}

/** A choice of values; with `x-values` also any text that begins with `x-value-prefix`. */
interface EnumSchema {
  enum?: readonly string[];
  "x-values"?: readonly string[];
  "x-value-prefix"?: string;
}

/** The part of an OpenAPI document that lists the values of a type. */
interface EnumSource {
  components: { schemas: Record<string, EnumSchema> };
}

/** The values and the prefix of a string as a type; undefined for other schemas. */
function valueTypes({ "x-values": values, "x-value-prefix": prefix = "" }: EnumSchema) {
  if (values === undefined) return undefined;
  const { factory } = ts;
  const rest = factory.createTemplateLiteralType(factory.createTemplateHead(prefix), [
    factory.createTemplateLiteralTypeSpan(
      factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
      factory.createTemplateTail(""),
    ),
  ]);
  const literals = values.map((value) => factory.createLiteralTypeNode(factory.createStringLiteral(value)));
  return factory.createUnionTypeNode([...literals, rest]);
}

/**
 * A constant for each schema that is a choice of values: `WebhookType` gets `webhookTypeValues`. Error codes are in
 * `statusOfCode`.
 */
function enumValues({ components }: EnumSource) {
  const lists = Object.entries(components.schemas).flatMap(
    ([name, { enum: words, "x-values": values = words }]) =>
      values !== undefined && values.length > 1 && !name.endsWith("Code")
        ? [{ type: name, constant: `${name[0]?.toLowerCase()}${name.slice(1)}Values`, values }]
        : [],
  );
  const each = (line: (list: (typeof lists)[number]) => string) => lists.map(line).join("");
  return {
    declaration: each(
      ({ type, constant, values }) =>
        `/** All values of \`${type}\`. */\nexport declare const ${constant}: readonly ${JSON.stringify(values).replaceAll(",", ", ")};\n`,
    ),
    module: each(({ constant, values }) => `export const ${constant} = ${JSON.stringify(values)};\n`),
    commonJs: each(({ constant, values }) => `exports.${constant} = ${JSON.stringify(values)};\n`),
  };
}

/** The part of an OpenAPI document that lists the error codes. */
interface ErrorCodeSource {
  components: { schemas: { ErrorCode: { "x-status": Record<string, number> } } };
}

/** The constant `statusOfCode`: its declaration, and its code for ES modules and for CommonJS. */
function statusOfCode({ components }: ErrorCodeSource) {
  const statuses = Object.entries(components.schemas.ErrorCode["x-status"]);
  const lines = (end: string) => statuses.map(([code, status]) => `  ${code}: ${status}${end}\n`).join("");
  return {
    declaration: [
      "/** Every code of an error with its HTTP status. */",
      `export declare const statusOfCode: Readonly<{\n${lines(";")}}>;\n`,
    ].join("\n"),
    module: `export const statusOfCode = {\n${lines(",")}};\n`,
    commonJs: `exports.statusOfCode = {\n${lines(",")}};\n`,
  };
}

/** The part of an OpenAPI document that names its operations. */
interface OperationSource {
  paths: Record<string, Record<string, { operationId?: string }>>;
}

/** A named export for each operation: `searchTrial` becomes `SearchTrialOperation`. */
function operationTypes({ paths }: OperationSource): string {
  const ids = Object.values(paths).flatMap((path) =>
    Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  );
  return ids
    .toSorted()
    .map((id) => `export type ${id[0]?.toUpperCase()}${id.slice(1)}Operation = operations["${id}"];\n`)
    .join("");
}
