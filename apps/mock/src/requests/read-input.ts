import type { IncomingHttpHeaders } from "node:http";
import { parse } from "node:querystring";
import { ApiError } from "@product-search/core/errors.ts";
import {
  createInputReader,
  createValidatorCompiler,
  type Validator,
} from "@product-search/http-rules/requests/read-request.ts";
import { validationMessage } from "@product-search/http-rules/requests/validation-message.ts";
import type { Operation, Schema } from "@product-search/spec/operations";

export interface RawInput {
  url: string;
  path: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** What a handler is given: numbers read from the query, defaults filled in. */
export interface Input {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
}

export type ReadInput = (operation: Operation, input: RawInput) => Input;

/** Reads requests with the service's own reader and words of refusal. */
export function createReadInput(): ReadInput {
  const compile = createValidatorCompiler();
  const validators = new Map<Schema, Validator>();
  function check(schema: Schema, part: string, value: unknown): void {
    const validate = validators.get(schema) ?? compile({ schema });
    validators.set(schema, validate);
    if (validate(value)) return;
    throw new ApiError("invalid_request", validationMessage(validate.errors ?? [], part));
  }
  return (operation, { url, path, headers, body }) => {
    const { schemas } = operation;
    const query = readQuery(url);
    createInputReader(operation)({ raw: { url }, body, query });
    check(schemas.path, "path", path);
    if (schemas.body && body !== undefined) check(schemas.body, "body", body);
    check(schemas.query, "query", query);
    check(schemas.headers, "headers", { ...headers });
    return { path, query, body };
  };
}

/** A parameter that is given twice becomes a list. */
export function readQuery(url: string): Record<string, unknown> {
  const start = url.indexOf("?");
  return start === -1 ? {} : { ...parse(url.slice(start + 1), "&", "=", { maxKeys: 1000 }) };
}
