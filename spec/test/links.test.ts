import { describe, expect, it } from "vitest";
import { dereference, operationsOf, readBundle } from "../scripts/document.ts";

const document = dereference(await readBundle());
const operations = operationsOf(document);
const links = operations.flatMap(({ operation: from }) =>
  Object.entries(from.responses).flatMap(([status, response]) =>
    Object.entries(response.links ?? {}).map(([name, link]) => ({ from, status, name, link, response })),
  ),
);

/** The value of a runtime expression such as `$response.body#/data/id` for an example body. */
function resolve(expression: string, body: unknown): unknown {
  const [, pointer = ""] = expression.split("#/");
  return pointer.split("/").reduce((value, key) => Object(value)[key], body);
}

describe.each(links)("the link $name of $from.operationId $status", ({ from, link, response }) => {
  const target = operations.find(({ operation }) => operation.operationId === link.operationId)?.operation;

  it("leads to an operation and sets parameters that it has", () => {
    const names = target?.parameters?.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining(Object.keys(link.parameters)));
  });

  it("sets every required parameter", () => {
    const required = target?.parameters?.filter((parameter) => parameter.required).map(({ name }) => name);
    expect(Object.keys(link.parameters).toSorted()).toEqual(required?.toSorted());
  });

  it.each(Object.entries(link.parameters))("finds %s at %s", (_, expression) => {
    const [, own] = expression.split("$request.path.");
    if (own) {
      expect(from.parameters?.map(({ name }) => name)).toContain(own);
      return;
    }
    const { example, examples } = response.content?.["application/json"] ?? {};
    const bodies = examples ? Object.values(examples).map(({ value }) => value) : [example];
    expect(bodies.map((body) => resolve(expression, body))).toContainEqual(expect.any(String));
  });
});

it("every operation with an identifier is the target of a link", () => {
  const reached = new Set(links.map(({ link }) => link.operationId));
  const takeIdentifier = operations.filter(({ operation }) =>
    operation.parameters?.some(({ name, required }) => required && /id$/i.test(name)),
  );
  expect(
    takeIdentifier.map(({ operation }) => operation.operationId).filter((id) => !reached.has(id)),
  ).toEqual([]);
});
