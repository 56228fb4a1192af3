import { expect, it } from "vitest";
import { undocumentedFields } from "../src/run-dredd.ts";

const schema = {
  allOf: [
    { $ref: "#/definitions/Base" },
    { properties: { items: { items: { $ref: "#/definitions/Item" } } } },
  ],
  definitions: {
    Base: { properties: { id: {} } },
    Item: { oneOf: [{ properties: { a: {} } }, { properties: { b: { additionalProperties: true } } }] },
  },
};

it.each([
  [{ id: 1, items: [{ a: 1 }, { b: { any: 1 } }] }, []],
  [{ id: 1, extra: 1 }, ["extra"]],
  [{ items: [{ a: 1, c: 1 }, { c: 1 }] }, ["items[].c"]],
  [{ id: { deep: 1 } }, []],
  [[], []],
])("%j has the undocumented fields %j", (body, fields) => {
  expect(undocumentedFields(schema, JSON.stringify(body))).toEqual(fields);
});

it("says nothing of a body that is no JSON", () => {
  expect(undocumentedFields(schema, "event: done")).toEqual([]);
});
