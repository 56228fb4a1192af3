import type { OpenApiDocument, Operation } from "./document.ts";

type Node = Record<string, unknown>;

/**
 * The document in OpenAPI 3.1: its schemas as JSON Schema 2020-12, and the events of webhooks under `webhooks` instead of
 * as callbacks of the operation that creates one.
 */
export function toOpenApi31(document: OpenApiDocument): Node {
  const webhooks: Node = {};
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(
        ([method, { callbacks = {}, ...operation }]): [string, Omit<Operation, "callbacks">] => {
          for (const [name, callback] of Object.entries(callbacks))
            webhooks[name] = convert(Object.values(callback)[0]);
          return [method, operation];
        },
      ),
    ),
  ]);
  const { openapi: _, paths: __, components, ...rest } = document;
  return {
    openapi: "3.1.1",
    ...rest,
    paths: convert(Object.fromEntries(paths)),
    webhooks,
    components: convert(components),
  };
}

/** Where keys are names that the document chose, not keywords. */
const maps = new Set([
  "properties",
  "schemas",
  "responses",
  "parameters",
  "headers",
  "paths",
  "content",
  "links",
]);

/** Values of examples are data. */
const data = new Set(["example", "examples", "enum", "default"]);

function convert(node: unknown, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((item) => convert(item));
  if (typeof node !== "object" || node === null) return node;
  const converted = Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (isMap) return [key, convert(value)];
      if (key === "schema" || key === "items" || key === "additionalProperties") return [key, convert(value)];
      return [key, data.has(key) ? value : convert(value, maps.has(key))];
    }),
  );
  return isMap ? converted : toJsonSchema(converted);
}

/** `nullable`, the flags of exclusive bounds and `example` are keywords of 3.0 alone. Only schemas have `type` as a text. */
function toJsonSchema(schema: Node): Node {
  if (typeof schema.type !== "string" && !("oneOf" in schema) && !("allOf" in schema)) return schema;
  const { nullable, example, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const converted: Node = { ...rest };
  if (nullable === true) {
    converted.type = [schema.type, "null"];
    if (Array.isArray(schema.enum) && !schema.enum.includes(null)) converted.enum = [...schema.enum, null];
  }
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    if (schema[flag] !== true) continue;
    converted[flag] = schema[bound];
    delete converted[bound];
  }
  return example === undefined ? converted : { ...converted, examples: [example] };
}
