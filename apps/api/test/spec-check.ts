import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { LightMyRequestResponse } from "fastify";
import { expect } from "vitest";
import { loadSpec } from "../src/http/operation-info.ts";

const spec = loadSpec();
const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema({ $id: "spec", ...spec });

/** The answer is one that the spec documents for the operation: status, media type and body. */
export function expectDocumented(operationId: string, status: number, answer: LightMyRequestResponse): void {
  expect(answer.statusCode, answer.body).toBe(status);
  const [path, method] = locate(operationId);
  const escaped = path.replaceAll("~", "~0").replaceAll("/", "~1");
  const response = spec.paths[path]?.[method]?.responses[String(status)];
  if (!response) throw new Error(`${operationId} does not document ${status}.`);
  expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(answer.headers["x-request-id"]).toBeTruthy();
  const base =
    "$ref" in response ? String(response.$ref) : `#/paths/${escaped}/${method}/responses/${status}`;
  const validate = ajv.compile({ $ref: `spec${base}/content/application~1json/schema` });
  expect(validate(answer.json()), `${JSON.stringify(validate.errors)}\n${answer.body}`).toBe(true);
}

function locate(operationId: string): [path: string, method: string] {
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId === operationId) return [path, method];
    }
  }
  throw new Error(`The spec has no operation ${operationId}.`);
}
