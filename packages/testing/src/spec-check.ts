import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import { percentEncoded } from "./hostile-strings.ts";
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
  const verb =
    (["GET", "POST", "PUT", "DELETE"] as const).find((one) => one === method.toUpperCase()) ?? "GET";
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

/** A place in a request where a client can put any text, whatever its documented type. */
export interface RequestInput {
  name: string;
  /** The example request with the text in this place. */
  requestWith(text: string): ExampleRequest;
}

export type ExampleRequest = ReturnType<typeof exampleRequest>;

/** Every parameter and every field of the body, nested ones too. */
export function requestInputs(operationId: string, token: string | undefined): RequestInput[] {
  const [path, method] = locate(operationId);
  const operation = spec.paths[path]?.[method];
  const example = () => exampleRequest(operationId, token);
  const parameters = (operation?.parameters ?? []).map((parameter) => deref<ExampleParameter>(parameter));
  const inputs = parameters.map(({ name, in: place, example: value }): RequestInput => {
    const requestWith = (text: string): ExampleRequest => {
      const request = example();
      if (place === "query") return { ...request, query: { ...request.query, [name]: text } };
      if (place === "header") return { ...request, headers: { ...request.headers, [name]: text } };
      return { ...request, url: pathWith(path, parameters, { [name]: text }) };
    };
    return { name: `${place} ${name} (${String(value)})`, requestWith };
  });
  const { content } = deref<{ content?: Record<string, { schema?: object }> }>(operation?.requestBody);
  const schema = deref<BodySchema>(content?.["application/json"]?.schema);
  const fields = fieldsOf(schema, []).map((steps): RequestInput => {
    const requestWith = (text: string): ExampleRequest => {
      const request = example();
      return { ...request, payload: withValue(request.payload ?? {}, steps, text) };
    };
    return { name: `body ${steps.join(".")}`, requestWith };
  });
  return [...inputs, ...fields];
}

/** The path with the parameters' examples, and with these texts instead; `encodeURIComponent` refuses some of them. */
export function pathWith(
  path: string,
  parameters: readonly { name: string; example?: unknown }[],
  texts: Readonly<Record<string, string>>,
): string {
  return `/api/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const text = texts[name];
    if (text !== undefined) return percentEncoded(text);
    return encodeURIComponent(String(parameters.find((one) => one.name === name)?.example ?? ""));
  })}`;
}

interface BodySchema {
  properties?: Record<string, object>;
  items?: object;
}

function fieldsOf(node: object, steps: readonly (string | number)[]): (string | number)[][] {
  const { properties, items } = deref<BodySchema>(node);
  if (items !== undefined) return fieldsOf(items, [...steps, 0]);
  if (properties === undefined) return steps.length === 0 ? [] : [[...steps]];
  return Object.entries(properties).flatMap(([name, property]) => fieldsOf(property, [...steps, name]));
}

function withValue(node: unknown, [step, ...rest]: readonly (string | number)[], value: string): object {
  const inner = (child: unknown) => (rest.length === 0 ? value : withValue(child, rest, value));
  if (typeof step === "number") return [inner(Array.isArray(node) ? node[step] : undefined)];
  const fields = Object(node);
  return { ...fields, [String(step)]: inner(fields[String(step)]) };
}
