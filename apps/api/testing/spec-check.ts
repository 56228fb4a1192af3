import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import { specDocument as spec } from "./spec-document.ts";

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: "spec", ...spec });

/** Checks the response against the spec of the operation: status, media type and body. */
export function expectDocumented(
  operationId: string,
  status: number,
  received: LightMyRequestResponse,
): void {
  expect(received.statusCode, received.body).toBe(status);
  const [path, method] = locate(operationId);
  const escaped = path.replaceAll("~", "~0").replaceAll("/", "~1");
  const response = spec.paths[path]?.[method]?.responses[String(status)];
  if (!response) throw new Error(`${operationId} does not document ${status}.`);
  expect(received.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(received.headers["x-request-id"]).toBeTruthy();
  const base =
    "$ref" in response ? String(response.$ref) : `#/paths/${escaped}/${method}/responses/${status}`;
  const validate = ajv.compile({ $ref: `spec${base}/content/application~1json/schema` });
  expect(validate(received.json()), `${JSON.stringify(validate.errors)}\n${received.body}`).toBe(true);
}

/** Checks a 400 about the request, and its message. */
export function expectInvalid(operationId: string, message: RegExp, received: LightMyRequestResponse): void {
  expectDocumented(operationId, 400, received);
  expect(received.json()).toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(message),
  });
}

/** Checks the value against the named schema of the spec. */
export function expectSchema(name: string, value: unknown): void {
  const validate = ajv.compile({ $ref: `spec#/components/schemas/${name}` });
  expect(validate(value), `${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`).toBe(true);
}

/** A valid request, made from the spec's own examples. */
export function exampleRequest(operationId: string, token?: string) {
  const [path, method] = locate(operationId);
  const operation = spec.paths[path]?.[method];
  const parameters = (operation?.parameters ?? []).map((parameter) => deref<ExampleParameter>(parameter));
  const named = (place: string) =>
    Object.fromEntries(
      parameters
        // The catalog search needs q or a filter, so neither is required.
        .filter((one) => one.in === place && (one.required || one.name === "q"))
        .map((one) => [one.name, String(one.example)]),
    );
  const body = deref<{ content?: Record<string, { example?: object }> }>(operation?.requestBody).content?.[
    "application/json"
  ];
  const verb = (["GET", "POST", "DELETE"] as const).find((one) => one === method.toUpperCase()) ?? "GET";
  return {
    method: verb,
    url: `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named("path")[name] ?? "")}`,
    query: named("query"),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...(body?.example && { payload: body.example }),
  };
}

interface ExampleParameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
}

function deref<Node extends object>(node: unknown): Node {
  if (typeof node !== "object" || node === null || !("$ref" in node)) return Object(node);
  const steps = String(node.$ref).slice(2).split("/");
  return deref<Node>(steps.reduce<unknown>((parent, key) => Object(parent)[key.replaceAll("~1", "/")], spec));
}

function locate(operationId: string): [path: string, method: string] {
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId === operationId) return [path, method];
    }
  }
  throw new Error(`The spec has no operation ${operationId}.`);
}
