import { describe, expect, it } from "vitest";
import { dereference, type MediaType, operationsOf, readBundle } from "../scripts/document.ts";
import { violations } from "./validator.ts";

const operations = operationsOf(dereference(await readBundle()));

function expectValidExample({ schema, example }: MediaType): void {
  expect(example).toBeDefined();
  expect(violations(schema, example)).toEqual([]);
}

describe.each(operations)("$operation.operationId", ({ operation }) => {
  const answers = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, media]) => ({ status, type, media })),
  );
  it.each(answers)("$status $type has an example that fits its schema", ({ media }) =>
    expectValidExample(media),
  );

  it("has a valid example for each parameter, on the parameter itself", () => {
    for (const { name, schema, example } of operation.parameters ?? []) {
      expect(example, name).toBeDefined();
      expect(violations(schema, example), name).toEqual([]);
    }
  });

  it("has a valid example of its body, if it takes one", () => {
    for (const media of Object.values(operation.requestBody?.content ?? {})) expectValidExample(media);
  });

  it("has a valid example of each header that it promises", () => {
    for (const response of Object.values(operation.responses)) {
      for (const [name, { schema, example, required }] of Object.entries(response.headers ?? {})) {
        expect(violations(schema, example), name).toEqual([]);
        expect(required, name).toBe(true);
      }
    }
  });
});
