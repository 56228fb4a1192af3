import { createRequire } from "node:module";
import type { Partner, Target } from "./partner.ts";

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

/** Thrown where this target cannot be tested; the message is the reason. */
export class Skip extends Error {}

export interface TriggerInput {
  request: OutgoingRequest;
  operation: Operation;
  partner: Partner;
  target: Target;
  /** Existing identifiers, by the name of the parameter that takes them. */
  ids: Readonly<Record<string, string>>;
}

/** Dredd's request. A status trigger changes it so that the wanted status is the correct response. */
interface OutgoingRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export function setHeader(request: OutgoingRequest, name: string, value: string): void {
  for (const known of Object.keys(request.headers)) {
    if (known.toLowerCase() === name) delete request.headers[known];
  }
  request.headers[name] = value;
}

export function setBody(request: OutgoingRequest, body: unknown): void {
  request.body = JSON.stringify(body);
  setHeader(request, "content-type", "application/json");
}

export function addQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path += `${request.path.includes("?") ? "&" : "?"}${name}=${encodeURIComponent(value)}`;
}

/** Replaces the value of a query parameter that the request has. */
export function setQuery(request: OutgoingRequest, name: string, value: string): void {
  request.path = request.path.replace(new RegExp(`([?&]${name}=)[^&]*`), `$1${encodeURIComponent(value)}`);
}

/** For an example that only the service itself can create, such as a cursor. */
export function dropQuery(request: OutgoingRequest, name: string): void {
  request.path = request.path.replace(new RegExp(`([?&])${name}=[^&]*&?`), "$1").replace(/[?&]$/, "");
}

/** Replaces the values of path parameters. The template, such as `/webhooks/{webhook_id}`, is the end of the path. */
export function setPathParameters(
  request: OutgoingRequest,
  template: string,
  values: Readonly<Record<string, string>>,
): void {
  const [path = "", ...query] = request.path.split("?");
  const steps = path.split("/");
  const wanted = template.split("/").slice(1);
  const known = wanted.map((step, at) => {
    const value = values[step.slice(1, -1)];
    const sent = steps[steps.length - wanted.length + at] ?? "";
    return step.startsWith("{") && value !== undefined ? encodeURIComponent(value) : sent;
  });
  request.path = [[...steps.slice(0, -wanted.length), ...known].join("/"), ...query].join("?");
}
