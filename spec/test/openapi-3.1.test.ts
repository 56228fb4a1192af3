import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { type OpenApiDocument, operationsOf, readBundle } from "../scripts/document.ts";
import { toOpenApi31 } from "../scripts/openapi-3.1.ts";
import { redocly } from "../scripts/run-redocly.ts";

const document = await readBundle();
const text = await readFile(new URL("../dist/openapi-3.1.json", import.meta.url), "utf8");
const built: OpenApiDocument & { webhooks: Record<string, object> } = JSON.parse(text);

it("has the operations of the hand-written document, and its callbacks as webhooks", () => {
  const names = (one: OpenApiDocument) => operationsOf(one).map(({ operation }) => operation.operationId);
  expect(names(built)).toEqual(names(document));
  const callbacks = operationsOf(document).flatMap(({ operation }) => Object.keys(operation.callbacks ?? {}));
  expect(callbacks.length).toBeGreaterThan(0);
  expect(Object.keys(built.webhooks)).toEqual(callbacks);
  expect(operationsOf(built).filter(({ operation }) => operation.callbacks)).toEqual([]);
});

it("has no keyword that only 3.0 has", () => {
  expect(text).not.toMatch(/"nullable"/);
  const schemas = Object.values(built.components.schemas);
  expect(schemas.filter((schema) => Object.hasOwn(schema, "example"))).toEqual([]);
});

it("passes the lint of the hand-written document", () => redocly("lint", "dist/openapi-3.1.json"), 120_000);

it.each([
  [{ type: "string", nullable: true }, { type: ["string", "null"] }],
  [
    { type: "string", nullable: true, enum: ["a"] },
    { type: ["string", "null"], enum: ["a", null] },
  ],
  [
    { type: "number", minimum: 1, exclusiveMinimum: true },
    { type: "number", exclusiveMinimum: 1 },
  ],
  [
    { type: "string", example: "a" },
    { type: "string", examples: ["a"] },
  ],
  [
    { type: "object", properties: { example: { type: "string", nullable: true } } },
    { type: "object", properties: { example: { type: ["string", "null"] } } },
  ],
])("turns the schema %j into %j", (schema, converted) => {
  const changed = { ...document, components: { ...document.components, schemas: { Changed: schema } } };
  expect(toOpenApi31(changed)).toMatchObject({ components: { schemas: { Changed: converted } } });
});
