import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import {
  dereference,
  type OpenApiDocument,
  operationsOf,
  readBundle,
  type Schema,
} from "../scripts/document.ts";
import { toOpenApi31 } from "../scripts/openapi-3.1.ts";
import { redocly } from "../scripts/run-redocly.ts";
import { violations } from "./validator.ts";

describe("schemas", async () => {
  const bundle = await readBundle();
  const document = dereference(bundle);
  const operations = operationsOf(document);
  const schemas = document.components.schemas;

  /** The schema and all schemas in it. */
  function withInner(schema: Schema): Schema[] {
    const inner = [
      ...Object.values(schema.properties ?? {}),
      ...(schema.allOf ?? []),
      ...(schema.oneOf ?? []),
    ];
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
      if (properties === undefined && additionalProperties !== false)
        expect(maxProperties).toBeGreaterThan(0);
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
        (content?.["application/json"]?.schema.properties?.code?.enum ?? []).map(
          (code) => `${code} ${status}`,
        ),
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
});

describe("openapi 3.1", async () => {
  const document = await readBundle();
  const text = await readFile(new URL("../dist/openapi-3.1.json", import.meta.url), "utf8");
  const built: OpenApiDocument & { webhooks: Record<string, object> } = JSON.parse(text);

  it("has the operations of the hand-written document, and its callbacks as webhooks", () => {
    const names = (one: OpenApiDocument) => operationsOf(one).map(({ operation }) => operation.operationId);
    expect(names(built)).toEqual(names(document));
    const callbacks = operationsOf(document).flatMap(({ operation }) =>
      Object.keys(operation.callbacks ?? {}),
    );
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
});
