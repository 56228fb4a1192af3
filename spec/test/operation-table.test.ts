import { expect, it } from "vitest";
import { readBundle } from "../scripts/document.ts";
import { operationModule, operationTable } from "../scripts/operation-table.ts";

const document = await readBundle();
const table = operationTable(document);

it("has a row for each operation of the document, and a type for it", () => {
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(Object.keys(table).toSorted()).toEqual(ids.toSorted());
  const { types } = operationModule(document);
  for (const id of ids) expect(types).toContain(`"${id}"`);
});

it("has the data that a route needs", () => {
  expect(table.createWebhook).toMatchObject({
    method: "POST",
    path: "/webhooks",
    tag: "webhooks",
    scope: "webhooks",
    successStatus: 201,
    produces: ["application/json"],
    body: "required",
    maxBodyBytes: 512 * 1024,
    idempotent: true,
  });
  expect(table.searchTrial).toMatchObject({
    method: "GET",
    body: "none",
    maxBodyBytes: 64 * 1024,
    idempotent: false,
    successStatus: 200,
  });
  expect(table.searchTrial).not.toHaveProperty("scope");
  expect(table.deepSearch?.produces).toEqual(["application/json", "text/event-stream"]);
});

it("closes queries and keeps the names of headers", () => {
  expect(table.searchMarketplaceA?.schemas.query).toMatchObject({
    additionalProperties: false,
    required: ["q"],
    properties: { count: { type: "integer", default: 20 } },
  });
  expect(table.listWebhooks?.schemas.query).toEqual({
    type: "object",
    properties: {},
    required: [],
    additionalProperties: false,
  });
  expect(table.createWebhook?.schemas.headers.properties).toMatchObject({
    "idempotency-key": { title: "Idempotency-Key", minLength: 1, maxLength: 255 },
  });
});

it("refers to nothing outside of a row", () => {
  expect(JSON.stringify(table)).not.toContain("$ref");
});

it("refuses an operation that cannot succeed", () => {
  const [path, item] = Object.entries(document.paths)[0] ?? ["", {}];
  const broken = Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [method, { ...operation, responses: {} }]),
  );
  expect(() => operationTable({ ...document, paths: { [path]: broken } })).toThrow("no successful status");
});
