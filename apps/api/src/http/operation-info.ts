import { createRequire } from "node:module";

export const basePath = "/api/v1";

/** What the frame needs to know of an operation, read once from the spec. */
export interface OperationInfo {
  operationId: string;
  method: string;
  /** As the spec writes it, such as `/webhooks/{webhook_id}`. */
  path: string;
  tag: string;
  /** The scope that a token needs; absent where no token is asked for. */
  scope: string | undefined;
  successStatus: number;
  /** Media types that the operation can answer with, the default one first. */
  produces: readonly string[];
  bodyRequired: boolean;
  idempotent: boolean;
  integerParameters: readonly string[];
}

interface SpecParameter {
  name: string;
  in: string;
  schema?: { type?: string };
}

interface SpecResponse {
  content?: Record<string, unknown>;
}

interface SpecOperation {
  operationId: string;
  tags: string[];
  security?: unknown[];
  "x-scope"?: string;
  parameters?: (SpecParameter | { $ref: string })[];
  requestBody?: { required?: boolean } | { $ref: string };
  responses: Record<string, SpecResponse | { $ref: string }>;
}

export interface SpecDocument {
  info: { version: string };
  paths: Record<string, Record<string, SpecOperation>>;
}

const methods = ["get", "post", "put", "patch", "delete"] as const;

/** The bundled document. A fresh copy each time, because route building rewrites the one it is given. */
export function loadSpec(): SpecDocument {
  const require = createRequire(import.meta.url);
  const document: SpecDocument = require("@product-search/spec/openapi.json");
  return structuredClone(document);
}

export function readOperations(spec: SpecDocument): OperationInfo[] {
  return Object.entries(spec.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [readOperation(spec, path, method, operation)] : [];
    }),
  );
}

function readOperation(
  spec: SpecDocument,
  path: string,
  method: string,
  operation: SpecOperation,
): OperationInfo {
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<SpecParameter>(spec, parameter));
  const [successStatus, success] =
    Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? [];
  if (!successStatus || !success)
    throw new Error(`The spec gives ${operation.operationId} no successful status.`);
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0] ?? "",
    scope: operation.security?.length === 0 ? undefined : operation["x-scope"],
    successStatus: Number(successStatus),
    produces: Object.keys(resolve<SpecResponse>(spec, success).content ?? {}),
    bodyRequired: operation.requestBody
      ? resolve<{ required?: boolean }>(spec, operation.requestBody).required === true
      : false,
    idempotent: parameters.some(
      (parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key",
    ),
    integerParameters: parameters
      .filter(
        (parameter) =>
          parameter.in === "query" && resolve<{ type?: string }>(spec, parameter.schema).type === "integer",
      )
      .map((parameter) => parameter.name),
  };
}

/** Follows a local reference; the bundled document has no others. */
function resolve<Node>(spec: SpecDocument, node: unknown): Node {
  let current: unknown = node;
  while (isReference(current)) {
    current = current.$ref
      .slice(2)
      .split("/")
      .reduce<unknown>(
        (parent, key) => Object(parent)[key.replaceAll("~1", "/").replaceAll("~0", "~")],
        spec,
      );
  }
  return (current ?? {}) as Node;
}

function isReference(node: unknown): node is { $ref: string } {
  return typeof node === "object" && node !== null && "$ref" in node && typeof node.$ref === "string";
}
