import { createRequire } from "node:module";

/** The bundled document, and the parts of it that contract tests need. */
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  /** The scope that a token needs; absent if the operation needs no token. */
  scope: string | undefined;
  parameters: { name: string; in: string }[];
  responses: Record<string, Response>;
}

export interface Response {
  /** By media type. */
  schemas: Record<string, unknown>;
  requiredHeaders: string[];
}

const require = createRequire(import.meta.url);
export const specPath = require.resolve("@product-search/spec/openapi.json");
const document: Record<string, unknown> = require(specPath);

export function readOperations(): Operation[] {
  return Object.entries(Object(document.paths)).flatMap(([path, item]) =>
    ["get", "post", "put", "patch", "delete"].flatMap((method) => {
      const operation = Object(item)[method];
      if (!operation) return [];
      const responses = Object.entries(Object(operation.responses)).map(([status, node]) => [
        status,
        readResponse(node),
      ]);
      return [
        {
          operationId: String(operation.operationId),
          method: method.toUpperCase(),
          path,
          scope: operation["x-scope"],
          parameters: (operation.parameters ?? []).map((parameter: unknown) => Object(resolve(parameter))),
          responses: Object.fromEntries(responses),
        },
      ];
    }),
  );
}

function readResponse(node: unknown): Response {
  const response = Object(resolve(node));
  const content = Object.entries(Object(response.content ?? {}));
  return {
    schemas: Object.fromEntries(content.map(([type, media]) => [type, standalone(Object(media).schema)])),
    requiredHeaders: Object.entries(Object(response.headers ?? {}))
      .filter(([, header]) => Object(resolve(header)).required === true)
      .map(([name]) => name.toLowerCase()),
  };
}

/** A JSON Schema that is complete without the document: components are copied into its definitions. */
function standalone(schema: unknown): unknown {
  const components = Object(Object(document.components).schemas);
  return toJsonSchema({ ...Object(schema), definitions: components });
}

/** A few keywords differ between OpenAPI 3.0 and JSON Schema draft 4. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key === "example" || key === "nullable" || key === "discriminator") return [];
    if (key === "$ref") return [[key, String(value).replace("#/components/schemas/", "#/definitions/")]];
    if (key === "type" && Object(node).nullable === true) return [[key, [value, "null"]]];
    return [[key, toJsonSchema(value)]];
  });
  return Object.fromEntries(entries);
}

function resolve(node: unknown): unknown {
  if (typeof node !== "object" || node === null || !("$ref" in node)) return node;
  const steps = String(node.$ref).slice(2).split("/");
  return resolve(
    steps.reduce<unknown>(
      (parent, step) => Object(parent)[step.replaceAll("~1", "/").replaceAll("~0", "~")],
      document,
    ),
  );
}
