import { describe, expect, it } from "vitest";
import { dereference, operationsOf, readBundle, type Schema } from "../scripts/document.ts";
import { violations } from "./validator.ts";

const bundle = await readBundle();
const document = dereference(bundle);
const operations = operationsOf(document);
const schemas = document.components.schemas;

/** The schema and all schemas in it. */
function withInner(schema: Schema): Schema[] {
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  if (schema.items) inner.push(schema.items);
  return [schema, ...inner.flatMap(withInner)];
}

function schemaOf(name: string): Schema {
  const schema = schemas[name];
  if (!schema) throw new Error(`The document has no schema ${name}.`);
  return schema;
}

it("closes every request body: unknown fields are refused", () => {
  const bodies = operations.flatMap(({ operation }) => Object.values(operation.requestBody?.content ?? {}));
  expect(bodies).not.toEqual([]);
  const objects = bodies
    .flatMap(({ schema }) => withInner(schema))
    // Rows of feeds say themselves that they are open: shops send them as they are.
    .filter(({ type, additionalProperties }) => type === "object" && additionalProperties !== true);
  for (const { properties, additionalProperties, maxProperties } of objects) {
    // A map from names that the client chooses has no properties of its own, and a limit.
    if (properties === undefined && additionalProperties !== false) expect(maxProperties).toBeGreaterThan(0);
    else expect(additionalProperties).toBe(false);
  }
});

it("leaves every response and event open: clients tolerate new fields", () => {
  const documentedResponses = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap(({ content = {} }) =>
      Object.values(content).map((media) => media.schema),
    ),
  );
  for (const schema of [
    ...documentedResponses,
    schemaOf("WebhookEvent"),
    schemaOf("DeepSearchEvent"),
  ].flatMap(withInner)) {
    expect(schema.additionalProperties).not.toBe(false);
  }
});

it("writes a choice that is open as one string: generators cannot send anyOf", () => {
  expect(JSON.stringify(bundle)).not.toContain('"anyOf"');
  const open = Object.values(schemas).filter((schema) => schema["x-values"]);
  expect(open).not.toEqual([]);
  for (const { pattern, "x-values": values = [], "x-value-prefix": prefix = "" } of open)
    expect(pattern).toMatch(`^(${values.join("|")}|${prefix.replaceAll(".", "\\.")}[`);
});

it("has no unused component, except the few for clients", () => {
  const text = JSON.stringify(bundle);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  expect(unused.toSorted()).toEqual([
    "DeepSearchEvent",
    "MarketplaceProduct",
    "SearchError",
    "WebhookError",
    "WebhookEvent",
  ]);
});

it("has a name for each enum and each object, because code generators number unnamed ones", () => {
  const nameless: string[] = [];
  const look = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    const needsName = "enum" in value || ("properties" in value && !/\/allOf\/\d+$/.test(path));
    if (needsName && "type" in value && !/^\/components\/schemas\/\w+$/.test(path)) nameless.push(path);
    for (const [key, inner] of Object.entries(value)) look(inner, `${path}/${key}`);
  };
  look(bundle, "");
  expect(nameless).toEqual([]);
});

describe("ErrorCode", () => {
  const { enum: codes = [], "x-status": statusOfCode = {} } = schemaOf("ErrorCode");
  const responded = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, { content }]) =>
      (content?.["application/json"]?.schema.properties?.code?.enum ?? []).map((code) => `${code} ${status}`),
    ),
  );

  it("has one status for each code", () => {
    expect(Object.keys(statusOfCode)).toEqual(codes);
  });
  it("contains all codes of the operations, each with its status", () => {
    const listed = Object.entries(statusOfCode).map(([code, status]) => `${code} ${status}`);
    expect([...new Set(responded)].filter((one) => !listed.includes(one))).toEqual([]);
  });
  it("contains no other codes, except those of requests that reach no operation", () => {
    const words = new Set(responded.map((one) => one.split(" ")[0]));
    expect(codes.filter((code) => !words.has(String(code)))).toEqual([
      "not_found",
      "method_not_allowed",
      "request_timeout",
      "expectation_failed",
      "headers_too_large",
    ]);
  });
});

it("has no pattern for identifiers: a malformed one is absent, not invalid", () => {
  const identifiers = operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).filter(({ name }) =>
      ["imageId", "webhook_id", "delivery_id"].includes(name),
    ),
  );
  expect(identifiers.length).toBeGreaterThan(5);
  for (const { schema } of identifiers) expect(schema).toEqual({ type: "string" });
});

describe("priceRange", () => {
  it.each(["[100,500]", "100,500", "[0,0]", "[19.99,20]"])("admits %s", (text) => {
    expect(violations(schemaOf("PriceRange"), text)).toEqual([]);
  });
  it.each(["", "[100,500", "100,500]", "100", "[-1,5]", "[1,]", "[1,2,3]", "a,b", "1e3,2e3", "[100, 500]"])(
    "refuses %j",
    (text) => {
      expect(violations(schemaOf("PriceRange"), text)).toHaveLength(1);
    },
  );
});

describe("q and query", () => {
  const query = operations
    .find(({ operation }) => operation.operationId === "searchTrial")
    ?.operation.parameters?.find(({ name }) => name === "q")?.schema;
  const rules = [query, schemaOf("DeepSearchRequest"), schemaOf("SearchBrandsRequest")].map(
    (schema) => schema?.properties?.query ?? schema,
  );
  it.each(rules)("count code points and want one that is not white space (%#)", (rule) => {
    if (!rule) throw new Error("There is no such rule.");
    expect(violations(rule, "🫖".repeat(512))).toEqual([]);
    expect(violations(rule, "🫖".repeat(513))).toHaveLength(1);
    expect(violations(rule, " \u00a0\t")).toHaveLength(1);
    expect(violations(rule, "").length).toBeGreaterThan(0);
  });
});
