// The parts of OpenAPI 3.0.3 in the bundled document that the scripts and tests here read.
import { readFile } from "node:fs/promises";

export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  allOf?: Schema[];
  oneOf?: Schema[];
  additionalProperties?: boolean | Schema;
  maxProperties?: number;
  description?: string;
  pattern?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  title?: string;
  /** The service checks each item by itself: one that is wrong does not refuse the request. */
  "x-checked-one-by-one"?: boolean;
  /** The values of a string that also takes what begins with `x-value-prefix`: the pattern has both. */
  "x-values"?: string[];
  "x-value-prefix"?: string;
  /** Only in `ErrorCode`: the status of each code. */
  "x-status"?: Record<string, number>;
}
export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; value: unknown }>;
}
export interface Parameter {
  name: string;
  in: "query" | "path" | "header";
  required?: boolean;
  description: string;
  schema: Schema;
  style?: string;
  explode?: boolean;
  example?: unknown;
}
export interface Header {
  required?: boolean;
  schema: Schema;
  example?: unknown;
}
export interface Response {
  description: string;
  headers?: Record<string, Header>;
  content?: Record<string, MediaType>;
  links?: Record<string, Link>;
}
export interface Link {
  description?: string;
  operationId: string;
  parameters: Record<string, string>;
}
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  "x-scope"?: string;
  "x-max-body-bytes"?: number;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response>;
  callbacks?: Record<string, Record<string, Record<string, Operation>>>;
}
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Response>;
    securitySchemes?: Record<string, { description?: string }>;
  };
}

/** The path of the bundled document. */
export const bundleLocation = new URL("../dist/openapi.json", import.meta.url);

/** The document of the last release, with which changes are compared. */
export const releasedLocation = new URL("../released/openapi.yaml", import.meta.url);

/** Reads the bundled document; `build` must have run. */
export async function readBundle(): Promise<OpenApiDocument> {
  return JSON.parse(await readFile(bundleLocation, "utf8"));
}

/** The document with each `$ref` replaced by its target. There are no cycles. */
export function dereference(document: OpenApiDocument): OpenApiDocument {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    if ("$ref" in value && typeof value.$ref === "string") return resolve(atPointer(document, value.$ref));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve(document) as OpenApiDocument;
}

/** What a reference to a parameter, a response, a header and so on leads to. */
export function resolve<Part extends object>(
  part: Part & { $ref?: string },
  document: OpenApiDocument,
): Part {
  return part.$ref === undefined ? part : resolve(atPointer(document, part.$ref) as Part, document);
}

function atPointer(document: OpenApiDocument, reference: string): unknown {
  let value: unknown = document;
  for (const part of reference.replace(/^#\//, "").split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !(key in value)) {
      throw new Error(`${reference} leads nowhere in the bundled document.`);
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Every operation of the document with its path and method. */
export function operationsOf(
  document: OpenApiDocument,
): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}
