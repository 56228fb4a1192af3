import {
  dereference,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
} from "./document.ts";

/** The data of an operation for registering its route. */
export interface OperationRow {
  operationId: string;
  method: string;
  path: string;
  tag: string;
  scope?: string;
  successStatus: number;
  produces: string[];
  body: "none" | "optional" | "required";
  maxBodyBytes: number;
  idempotent: boolean;
  schemas: { path: Schema; query: Schema; headers: Schema; body?: Schema; response: Schema };
}

/** Of an operation that does not say how large its bodies may be, in `x-max-body-bytes`. */
const usualMaxBodyBytes = 64 * 1024;

/** One row per operation, with complete schemas without references. */
export function operationTable(document: OpenApiDocument): Record<string, OperationRow> {
  const rows = operationsOf(dereference(document)).map(({ path, method, operation }) =>
    rowOf(path, method, operation),
  );
  return Object.fromEntries(rows.map((row) => [row.operationId, row]));
}

/** The table as a module and its types. */
export function operationModule(document: OpenApiDocument): { code: string; types: string } {
  const table = operationTable(document);
  const ids = Object.keys(table).map((id) => `"${id}"`);
  return {
    code: `// Generated from openapi.json beside this file; do not edit.\nexport const apiVersion = ${JSON.stringify(document.info.version)};\nexport const usualMaxBodyBytes = ${usualMaxBodyBytes};\nexport const operations = ${JSON.stringify(table)};\n`,
    types: `// Generated from openapi.json beside this file; do not edit.
export declare const apiVersion: string;
/** Of bodies outside of the document, too. */
export declare const usualMaxBodyBytes: number;
export type OperationId = ${ids.join(" | ")};
export interface Operation {
  operationId: OperationId;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As the document writes it, such as \`/webhooks/{webhook_id}\`. */
  path: string;
  tag: string;
  /** The scope that a token needs; absent where no token is asked for. */
  scope?: string;
  successStatus: number;
  /** Media types that a success can have, the default one first. */
  produces: readonly string[];
  body: "none" | "optional" | "required";
  /** A larger body is refused before it is parsed. */
  maxBodyBytes: number;
  /** Whether it takes an \`Idempotency-Key\`. */
  idempotent: boolean;
  /**
   * Schemas of OpenAPI 3.0 without references. Names of headers are in lower case; \`title\` has them as the document
   * does.
   */
  schemas: { path: Schema; query: Schema; headers: Schema; body?: Schema; response: Schema };
}
export interface Schema {
  type?: string;
  properties?: Readonly<Record<string, Schema>>;
}
export declare const operations: Readonly<Record<OperationId, Operation>>;
`,
  };
}

function rowOf(path: string, method: string, operation: Operation): OperationRow {
  const { operationId, tags, security, parameters = [], requestBody, responses } = operation;
  const [status, success] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  if (!status || !success) throw new Error(`${operationId} has no successful status.`);
  const scope = security?.length === 0 ? undefined : operation["x-scope"];
  const content = requestBody?.content["application/json"];
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    tag: tags[0] ?? "",
    ...(scope !== undefined && { scope }),
    successStatus: Number(status),
    produces: Object.keys(success.content ?? {}),
    body: requestBody === undefined ? "none" : requestBody.required === true ? "required" : "optional",
    maxBodyBytes: operation["x-max-body-bytes"] ?? usualMaxBodyBytes,
    idempotent: parameters.some(({ in: place, name }) => place === "header" && name === "Idempotency-Key"),
    schemas: {
      path: parametersSchema(parameters, "path"),
      // OpenAPI cannot express that a query is closed: unknown parameters are refused.
      query: { ...parametersSchema(parameters, "query"), additionalProperties: false },
      headers: parametersSchema(parameters, "header"),
      ...(content && { body: withoutSingles(content.schema) }),
      response: success.content?.["application/json"]?.schema ?? {},
    },
  };
}

function withoutSingles(schema: Schema): Schema {
  if (schema["x-checked-one-by-one"] === true) return { ...schema, items: {} };
  if (schema.properties === undefined) return schema;
  const properties = Object.entries(schema.properties).map(([name, one]) => [name, withoutSingles(one)]);
  return { ...schema, properties: Object.fromEntries(properties) };
}

function parametersSchema(parameters: readonly Parameter[], place: Parameter["in"]): Schema {
  const named = parameters.filter((parameter) => parameter.in === place);
  const key = ({ name }: Parameter) => (place === "header" ? name.toLowerCase() : name);
  return {
    type: "object",
    properties: Object.fromEntries(
      named.map((parameter) => [
        key(parameter),
        { ...parameter.schema, ...(place === "header" && { title: parameter.name }) },
      ]),
    ),
    required: named.filter(({ required }) => required).map(key),
  };
}
