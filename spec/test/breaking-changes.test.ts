import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { assertCompatible } from "../scripts/assert-compatible.ts";
import { compareDocuments, majorVersionMoved } from "../scripts/breaking-changes.ts";
import {
  bundleLocation,
  type OpenApiDocument,
  type Parameter,
  readBundle,
  releasedLocation,
  type Schema,
} from "../scripts/document.ts";

describe("breaking changes", async () => {
  const released = await readBundle();
  const breakingChanges = (before: OpenApiDocument, after: OpenApiDocument) =>
    compareDocuments(before, after).changes;

  type Change = (document: OpenApiDocument) => void;

  function changed(change: Change): OpenApiDocument {
    const document = structuredClone(released);
    change(document);
    expect(document, "the change must change something").not.toEqual(released);
    return document;
  }
  /** A part of the document that must exist. */
  function part<Part>(value: Part | undefined, name: string): Part {
    if (value === undefined) throw new Error(`The document has no ${name}.`);
    return value;
  }
  function schema(document: OpenApiDocument, name: string) {
    const whole = part(document.components.schemas[name], name);
    return {
      whole,
      properties: whole.properties ?? {},
      required: whole.required ?? [],
      words: whole.enum ?? [],
    };
  }
  function operation(document: OpenApiDocument, path: string, method = "get") {
    const whole = part(document.paths[path]?.[method], `${method} ${path}`);
    return {
      whole,
      parameters: whole.parameters ?? [],
      responses: whole.responses,
      callbacks: whole.callbacks ?? {},
    };
  }
  function parameter(document: OpenApiDocument, name: string): Parameter {
    return part(document.components.parameters[name], name);
  }

  /** Gives the sort of a catalog search other values; it also takes attributes. */
  function sortBy(document: OpenApiDocument, change: (values: string[]) => string[]): void {
    const { whole } = schema(document, "CatalogSort");
    const values = part(whole["x-values"], "values");
    whole["x-values"] = change(values);
    whole.pattern = part(whole.pattern, "pattern").replace(values.join("|"), change(values).join("|"));
  }

  const breaking: Record<string, Change> = {
    "a path is gone": (document) => delete document.paths["/search/brands"],
    "an operation is gone": (document) => delete document.paths["/webhooks"]?.get,
    "an operation has another operationId": (document) => {
      operation(document, "/search/brands", "post").whole.operationId = "findBrands";
    },
    "an operation wants another scope": (document) => {
      operation(document, "/search/brands", "post").whole["x-scope"] = "webhooks";
    },
    "the trial search wants a token": (document) => {
      delete operation(document, "/search/trial").whole.security;
    },
    "a parameter is gone": (document) => operation(document, "/search/trial").parameters.pop(),
    "a parameter becomes required": (document) => {
      parameter(document, "Count").required = true;
    },
    "a parameter that also takes other texts admits a word less": (document) =>
      sortBy(document, (values) => values.slice(1)),
    "a new parameter is required": (document) =>
      operation(document, "/search").parameters.push({
        name: "size",
        in: "query",
        required: true,
        description: "",
        schema: { type: "string" },
      }),
    "a field that both marketplaces share is gone": (document) =>
      delete schema(document, "MarketplaceItem").properties.availability,
    "a page of both marketplaces promises a field less": (document) =>
      schema(document, "MarketplacePage").required.pop(),
    "a field of one marketplace is gone": (document) =>
      delete part(schema(document, "MarketplaceBItem").whole.allOf?.[1]?.properties, "own fields")
        .reviewCount,
    "success has another status": ({ paths }) => {
      const responses = paths["/webhooks"]?.post?.responses ?? {};
      const created = responses["201"];
      delete responses["201"];
      if (created) responses["200"] = created;
    },
    "an error is gone": (document) => delete operation(document, "/search/brands", "post").responses["404"],
    "an error has another code": (document) => {
      schema(document, "BrandNotFoundError").properties.code = { type: "string", enum: ["no_brand"] };
    },
    "a media type is gone": (document) =>
      delete operation(document, "/deep-search", "post").responses["200"]?.content?.["text/event-stream"],
    "a promised header is gone": (document) => {
      delete document.components.responses.RateLimited?.headers;
    },
    "a link is gone": (document) => {
      delete part(operation(document, "/webhooks", "post").responses["201"], "201").links;
    },
    "an event is gone": (document) => delete operation(document, "/webhooks", "post").callbacks.priceAlert,
    "an event's field is gone": (document) => delete schema(document, "PriceAlertData").properties.previous,
    "an event has another type": (document) => {
      schema(document, "StockAlertEvent").properties.type = { type: "string", enum: ["stock.changed"] };
    },
    "a server-sent event's field is gone": (document) =>
      delete schema(document, "DeepSearchDeltaEvent").properties.text,
    "a published type is gone": (document) => delete document.components.schemas.WebhookError,
    "a list is written in another way": (document) => {
      const brands = operation(document, "/search/catalog").parameters.find(
        (one) => "name" in one && one.name === "brands",
      );
      Object.assign(part(brands, "brands"), { explode: true });
    },
    "a body becomes required": (document) => {
      const { requestBody } = operation(document, "/webhooks/{webhook_id}/rotate-key", "post").whole;
      Object.assign(part(requestBody, "body"), { required: true });
    },
    "a body is gone": (document) => delete operation(document, "/search/brands", "post").whole.requestBody,
    "there is another success": (document) => {
      operation(document, "/search").responses["203"] = { description: "From elsewhere." };
    },
    "a link leads elsewhere": (document) => {
      const { links = {} } = part(operation(document, "/webhooks", "post").responses["201"], "201");
      for (const link of Object.values(links)) link.parameters = { elsewhere: "$response.body#/id" };
    },
    "the service moves": (document) => {
      document.servers = [{ url: "/v1" }];
    },
  };

  const additive: Record<string, Change> = {
    "a parameter that also takes other texts admits another word": (document) =>
      sortBy(document, (values) => [...values, "weight"]),
    "a link to another operation": (document) => {
      const response = part(operation(document, "/search/trial").responses["200"], "200");
      response.links = { ...response.links, more: { operationId: "searchTrial", parameters: {} } };
    },
    "a new path": (document) => {
      document.paths["/search/stores"] = structuredClone(document.paths["/search/brands"] ?? {});
    },
    "a new operation": ({ paths }) => {
      paths["/search"] = { ...paths["/search"], post: structuredClone(operation(released, "/search").whole) };
    },
    "a new optional parameter": (document) =>
      operation(document, "/search").parameters.push({
        name: "size",
        in: "query",
        description: "",
        schema: { type: "string" },
      }),
    "a new field of an event": (document) => {
      schema(document, "PriceAlertData").properties.weight = { type: "string" };
    },
    "a new error": (document) => {
      const { responses } = operation(document, "/search/trial");
      if (responses["400"]) responses["409"] = responses["400"];
    },
    "a new code": (document) => schema(document, "InvalidImageCode").words.push("image_too_dark"),
    "a parameter that is no longer required": (document) => {
      parameter(document, "Query").required = false;
    },
    "a new schema": (document) => {
      document.components.schemas.Store = { type: "object" };
    },
    "an operation that needs no token any more": (document) => {
      operation(document, "/search").whole.security = [];
    },
    "a second address": (document) => document.servers.push({ url: "/v1" }),
    "a new header": (document) => {
      const response = part(operation(document, "/search").responses["200"], "200");
      response.headers = { ...response.headers, "X-Weight": { schema: { type: "string" } } };
    },
    "a new callback": (document) => {
      operation(document, "/webhooks", "post").callbacks.nameAlert = {};
    },
    "another description": (document) => {
      schema(document, "Product").whole.description = "A product.";
    },
    "another example": (document) => {
      for (const { content } of Object.values(operation(document, "/search").responses)) {
        if (content?.["application/json"]) content["application/json"].example = {};
      }
    },
    "a new version": (document) => {
      document.info.version = "1.1.0";
    },
  };

  const fields = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
    type: "object",
    properties,
    required,
  });
  const [text, number, whole] = [{ type: "string" }, { type: "number" }, { type: "integer" }] as const;

  /** A schema before and after, whether that breaks who sends it, and who receives it. */
  const schemaChanges: [string, Schema, Schema, isBrokenIfSent: boolean, isBrokenIfReceived: boolean][] = [
    ["a description", text, { ...text, description: "Other." }, false, false],
    ["another type", text, { type: "boolean" }, true, true],
    ["fractions are allowed", whole, number, false, true],
    ["whole numbers only", number, whole, true, false],
    ["a lower maximum", { ...whole, maximum: 9 }, { ...whole, maximum: 8 }, true, false],
    ["a higher maximum", { ...whole, maximum: 8 }, { ...whole, maximum: 9 }, false, true],
    ["no maximum any more", { ...whole, maximum: 8 }, whole, false, true],
    ["a maxLength", text, { ...text, maxLength: 8 }, true, false],
    ["a higher minimum", { ...whole, minimum: 1 }, { ...whole, minimum: 2 }, true, false],
    ["a lower minimum", { ...whole, minimum: 2 }, { ...whole, minimum: 1 }, false, true],
    ["a minimum", whole, { ...whole, minimum: 1 }, true, false],
    ["a pattern", text, { ...text, pattern: "^a" }, true, false],
    ["another pattern", { ...text, pattern: "^a" }, { ...text, pattern: "^b" }, true, true],
    ["no pattern any more", { ...text, pattern: "^a" }, text, false, true],
    ["a format", text, { ...text, format: "uuid" }, true, false],
    ["another format", { ...text, format: "uuid" }, { ...text, format: "ipv4" }, true, true],
    ["no format any more", { ...text, format: "uuid" }, text, false, true],
    ["a word less", { ...text, enum: ["a", "b"] }, { ...text, enum: ["a"] }, true, true],
    ["a word more", { ...text, enum: ["a"] }, { ...text, enum: ["a", "b"] }, false, true],
    ["a list of words", text, { ...text, enum: ["a", "b"] }, true, false],
    ["null is allowed", text, { ...text, nullable: true }, false, true],
    ["null is not allowed any more", { ...text, nullable: true }, text, true, false],
    ["another default", { ...text, default: "a" }, { ...text, default: "b" }, true, false],
    ["no default any more", { ...text, default: "a" }, text, true, false],
    ["other items", { type: "array", items: text }, { type: "array", items: whole }, true, true],
    [
      "different items",
      { type: "array", items: text },
      { type: "array", items: text, uniqueItems: true },
      true,
      false,
    ],
    ["closed", fields({ a: text }), { ...fields({ a: text }), additionalProperties: false }, true, false],
    ["opened", { ...fields({ a: text }), additionalProperties: false }, fields({ a: text }), false, false],
    ["a field less", fields({ a: text, b: text }, ["a"]), fields({ a: text }, ["a"]), true, true],
    ["a field more", fields({ a: text }), fields({ a: text, b: text }), false, false],
    ["a required field more", fields({ a: text }), fields({ a: text, b: text }, ["b"]), true, false],
    ["a field becomes required", fields({ a: text }), fields({ a: text }, ["a"]), true, false],
    ["a field is required no more", fields({ a: text }, ["a"]), fields({ a: text }), false, true],
    [
      "a kind less",
      { oneOf: [fields({ a: text }), fields({ b: text })] },
      { oneOf: [fields({ a: text })] },
      true,
      true,
    ],
    [
      "a kind more",
      { oneOf: [fields({ a: text })] },
      { oneOf: [fields({ a: text }), fields({ b: text })] },
      false,
      true,
    ],
  ];

  describe("a schema that is sent or received", () => {
    const withSchemas = (sent: Schema, received: Schema): OpenApiDocument => {
      const json = (schema: Schema) => ({ content: { "application/json": { schema } } });
      const document = structuredClone(released);
      const { whole } = operation(document, "/search/brands", "post");
      whole.requestBody = { required: true, ...json(sent) };
      whole.responses["200"] = { description: "", ...json(received) };
      return document;
    };
    it.each(schemaChanges)("%s", (_name, before, after, isBrokenIfSent, isBrokenIfReceived) => {
      const sent = breakingChanges(withSchemas(before, text), withSchemas(after, text));
      expect(sent.length > 0).toBe(isBrokenIfSent);
      const received = breakingChanges(withSchemas(text, before), withSchemas(text, after));
      expect(received.length > 0).toBe(isBrokenIfReceived);
    });
  });

  it("finds nothing between a document and itself", () => {
    expect(breakingChanges(released, structuredClone(released))).toEqual([]);
  });

  describe("reports a breaking change if", () => {
    it.each(Object.entries(breaking))("%s", (_name, change) => {
      expect(breakingChanges(released, changed(change))).not.toEqual([]);
    });
  });

  describe("reports nothing for", () => {
    it.each(Object.entries(additive))("%s", (_name, change) => {
      expect(breakingChanges(released, changed(change))).toEqual([]);
    });
  });

  describe("the major version", () => {
    const at = (version: string, url: string) =>
      changed((document) => {
        document.info.version = version;
        document.servers = [{ url }];
      });
    it("has changed if both the document and the path say so", () => {
      expect(majorVersionMoved(released, at("2.0.0", "/api/v2"))).toBe(true);
    });
    it.each([
      ["2.0.0", "/api/v1"],
      ["1.1.0", "/api/v2"],
      ["0.9.0", "/api/v0"],
    ])("has not moved at %s under %s", (version, url) => {
      expect(majorVersionMoved(released, at(version, url))).toBe(false);
    });
  });
});

describe("assert compatible", async () => {
  const bundle = fileURLToPath(bundleLocation);
  const folder = await mkdtemp(join(tmpdir(), "spec-"));
  afterAll(() => rm(folder, { recursive: true }));

  async function saved(text: string): Promise<string> {
    const file = join(folder, `${crypto.randomUUID()}.json`);
    await writeFile(file, text);
    return file;
  }

  async function changed(change: (document: OpenApiDocument) => void): Promise<string> {
    const document = await readBundle();
    change(document);
    return saved(JSON.stringify(document));
  }

  it("accepts the document of this checkout", async () => {
    await assertCompatible(fileURLToPath(releasedLocation), bundle);
  });

  it("accepts an additive change", async () => {
    const candidate = await changed(({ components }) => {
      components.schemas.Store = { type: "object" };
    });
    await assertCompatible(bundle, candidate);
  });

  it("refuses a breaking change, names it and the remedy", async () => {
    const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
    await expect(assertCompatible(bundle, candidate)).rejects.toThrow(
      /\/search\/brands[\s\S]*move the major version/,
    );
  });

  it("says what a released document does not hold", async () => {
    const released = await changed((document) => {
      delete document.paths["/search/brands"];
      delete document.components.schemas.Product?.properties?.brand;
    });
    expect(await assertCompatible(released, bundle)).toMatch(
      /does not have them: 1 operation \(searchBrands\); 1 field\. The next release protects them\.$/,
    );
  });

  it("names the place of a change, the remedy and who uses it", async () => {
    const candidate = await changed(({ components }) => delete components.schemas.Product?.properties?.brand);
    await expect(assertCompatible(bundle, candidate)).rejects.toThrow(
      /schema Product › brand: the field was removed from what partners receive\. Keep the field.* \(GET \/search and \d+ more\)/,
    );
  });

  it("accepts a breaking change with a new major version", async () => {
    const candidate = await changed((document) => {
      delete document.paths["/search/brands"];
      document.info.version = "2.0.0";
      document.servers = [{ url: "/api/v2" }];
    });
    await assertCompatible(bundle, candidate);
  });

  const command = fileURLToPath(new URL("../scripts/check-breaking-changes.ts", import.meta.url));
  const run = (...options: string[]) =>
    spawnSync(process.execPath, [command, ...options], { encoding: "utf8" });

  it("makes the command fail on a breaking change, and succeed without one", async () => {
    const candidate = await changed(({ paths }) => delete paths["/search/brands"]);
    expect(run("--released", bundle, "--candidate", candidate)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("/search/brands"),
    });
    expect(run()).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^No breaking changes since version [\d.]+\.\nCompared: \d+ operations and \d+ callbacks of version/,
      ),
      stderr: "",
    });
  });

  it("makes the command refuse an unknown option", () => {
    expect(run("--candidat", bundle)).toMatchObject({ status: 2, stderr: expect.stringContaining("Usage:") });
  });

  it.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["is cut off", '{"openapi": "3.0.3", "paths": {'],
    ["is an error page", "<html>502 Bad Gateway</html>"],
    ["is no OpenAPI document", '{"swagger": "2.0", "info": {"version": "1.0.0"}, "paths": {"/a": {}}}'],
    ["has no paths", '{"openapi": "3.0.3", "info": {"version": "1.0.0"}, "paths": {}}'],
    ["has no version", '{"openapi": "3.0.3", "info": {}, "paths": {"/a": {}}}'],
  ])("refuses to pass when a document %s", async (_fault, text) => {
    const broken = text === undefined ? join(folder, "missing.json") : await saved(text);
    await expect(assertCompatible(broken, bundle)).rejects.toThrow(broken);
    await expect(assertCompatible(bundle, broken)).rejects.toThrow(broken);
  });
});
