import { describe, expect, it } from "vitest";
import { dereference, type MediaType, operationsOf, readBundle } from "../scripts/document.ts";
import { violations } from "./validator.ts";

const operations = operationsOf(dereference(await readBundle()));

function expectValidExample({ schema, example, examples }: MediaType): void {
  const values = examples ? Object.values(examples).map(({ value }) => value) : [example];
  expect(values.length).toBeGreaterThan(0);
  for (const value of values) {
    expect(value).toBeDefined();
    expect(violations(schema, value)).toEqual([]);
  }
}

describe.each(operations)("$operation.operationId", ({ operation }) => {
  const documentedResponses = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, media]) => ({ status, type, media })),
  );
  it.each(documentedResponses)("$status $type has an example that fits its schema", ({ media }) =>
    expectValidExample(media),
  );

  it("has an example of every code, if a status can have several", () => {
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const { schema, examples = {} } = content?.["application/json"] ?? { schema: {} };
      const codes = schema.properties?.code?.enum ?? [];
      if (codes.length > 1) expect(Object.keys(examples), status).toEqual(codes);
      for (const [name, { value }] of Object.entries(examples)) {
        if (codes.length > 0) expect(value, status).toMatchObject({ code: name });
      }
    }
  });

  it("has a valid example for each parameter, on the parameter itself", () => {
    for (const { name, schema, example } of operation.parameters ?? []) {
      expect(example, name).toBeDefined();
      expect(violations(schema, example), name).toEqual([]);
    }
  });

  it("has a valid example of its body, if it takes one", () => {
    for (const media of Object.values(operation.requestBody?.content ?? {})) expectValidExample(media);
  });

  it("has a valid example of each documented header", () => {
    for (const response of Object.values(operation.responses)) {
      for (const [name, { schema, example, required }] of Object.entries(response.headers ?? {})) {
        expect(violations(schema, example), name).toEqual([]);
        expect(required, name).toBe(true);
      }
    }
  });
});
