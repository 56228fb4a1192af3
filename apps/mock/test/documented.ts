import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A response that the document describes, and a request that asks for it. */
export interface Documented {
  operationId: string;
  method: string;
  path: string;
  status: number;
  type: string;
  example: string | undefined;
  value: unknown;
  headers: string[];
  body: unknown;
}

const file = createRequire(import.meta.url).resolve("@product-search/spec/openapi.json");
export const document = JSON.parse(readFileSync(file, "utf8"));

function resolve<Value>(value: Value & { $ref?: string }): Value {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split("/")
    .reduce((node, key) => node[key], document);
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; example: unknown }[];
  requestBody?: { content: Record<string, { example: unknown }> };
  responses: Record<string, { headers?: object; content: Record<string, Media> }>;
}
interface Media {
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** Every documented response of every operation: each status, media type and example. */
export const documented: Documented[] = Object.entries<Record<string, Operation>>(document.paths).flatMap(
  ([template, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const parameters = (operation.parameters ?? []).map(resolve).filter(({ required }) => required);
      const query = new URLSearchParams(
        parameters.flatMap(({ name, in: place, example }) =>
          place === "query" ? [[name, `${example}`]] : [],
        ),
      );
      const path = template.replaceAll(
        /\{(\w+)\}/g,
        (_, name) => `${parameters.find((parameter) => parameter.name === name)?.example}`,
      );
      return Object.entries(operation.responses).flatMap(([status, response]) =>
        responsesOf(resolve(response)).map((received) => ({
          operationId: operation.operationId,
          method: method.toUpperCase(),
          path: query.size > 0 ? `${path}?${query}` : path,
          status: Number(status),
          body: operation.requestBody?.content["application/json"]?.example,
          ...received,
        })),
      );
    }),
);

function responsesOf({ headers = {}, content }: { headers?: object; content: Record<string, Media> }) {
  return Object.entries(content).flatMap(([type, { example, examples }]) => {
    const named = examples ? Object.entries(examples) : [[undefined, { value: example }] as const];
    return named.map(([name, { value }]) => ({ type, example: name, value, headers: Object.keys(headers) }));
  });
}
