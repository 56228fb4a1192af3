import { createRequire } from "node:module";

/** An operation of the document, with a request made from its examples. */
export interface DocumentedOperation {
  operationId: string;
  method: string;
  path: string;
  /** The examples of its parameters, by name. */
  pathParameters: Record<string, string>;
  query: Record<string, unknown>;
  body: object | undefined;
  takesIdempotencyKey: boolean;
}

interface Parameter {
  name: string;
  in: string;
  example: unknown;
}

interface Operation {
  operationId: string;
  parameters?: (Parameter & Reference)[];
  requestBody?: { content: { "application/json": { example: object } } };
  responses: Record<string, Response & Reference>;
}

interface Response {
  content: { "application/json": { example?: Body; examples?: Record<string, { value: Body }> } };
}

interface Reference {
  $ref?: string;
}

type Body = object & { code?: string };

const document = createRequire(import.meta.url)("@product-search/types/openapi.json");

function resolve<Node>(node: Node & Reference): Node {
  const steps = node.$ref?.slice(2).split("/");
  return steps ? steps.reduce((value, step) => value[step], document) : node;
}

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

/** Every operation, in the document's order. */
export const documentedOperations: DocumentedOperation[] = operations.map(({ method, path, operation }) => {
  const parameters = (operation.parameters ?? []).map(resolve);
  const examples = (place: string) =>
    Object.fromEntries(
      parameters.filter((one) => one.in === place).map(({ name, example }) => [name, example]),
    );
  return {
    operationId: operation.operationId,
    method,
    path,
    pathParameters: Object.fromEntries(
      Object.entries(examples("path")).map(([name, example]) => [name, String(example)]),
    ),
    query: examples("query"),
    body: operation.requestBody?.content["application/json"].example,
    takesIdempotencyKey: "Idempotency-Key" in examples("header"),
  };
});

export interface DocumentedAnswer {
  operationId: string;
  status: number;
  body: Body;
}

/** Every JSON response that the document has as an example. */
export const documentedResponses: DocumentedAnswer[] = operations.flatMap(({ operation }) =>
  Object.entries(operation.responses).flatMap(([status, response]) => {
    const { example, examples } = resolve(response).content["application/json"];
    const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example ?? {}];
    return bodies.map((body) => ({ operationId: operation.operationId, status: Number(status), body }));
  }),
);
