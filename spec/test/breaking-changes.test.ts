import { describe, expect, it } from "vitest";
import { compareDocuments, majorVersionMoved } from "../scripts/breaking-changes.ts";
import { type OpenApiDocument, type Parameter, readBundle } from "../scripts/document.ts";

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
  "a parameter has another type": (document) => {
    parameter(document, "Count").schema.type = "string";
  },
  "a parameter has another default": (document) => {
    parameter(document, "Count").schema.default = 10;
  },
  "a parameter has a lower bound": (document) => {
    parameter(document, "Count").schema.maximum = 100;
  },
  "a parameter has another pattern": (document) => {
    schema(document, "PriceRange").whole.pattern = "^[0-9]+$";
  },
  "a parameter admits a word less": (document) => schema(document, "SearchSort").words.pop(),
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
  "a body field is gone": (document) => delete schema(document, "CreateWebhookRequest").properties.productIds,
  "a new body field is required": (document) => {
    schema(document, "CreateWebhookRequest").properties.secret = { type: "string" };
    schema(document, "CreateWebhookRequest").required.push("secret");
  },
  "a response's field is gone": (document) =>
    delete schema(document, "DeepSearchResult").properties.suggestions,
  "a response's field is no longer promised": (document) => schema(document, "Product").required.pop(),
  "a response's field has another type": (document) => {
    schema(document, "Product").properties.price = { type: "string" };
  },
  "a response's field has another word": (document) =>
    schema(document, "WebhookDeliveryStatus").words.push("paused"),
  "a field that both marketplaces share is gone": (document) =>
    delete schema(document, "MarketplaceItem").properties.availability,
  "a page of both marketplaces promises a field less": (document) =>
    schema(document, "MarketplacePage").required.pop(),
  "a field of one marketplace is gone": (document) =>
    delete part(schema(document, "MarketplaceBItem").whole.allOf?.[1]?.properties, "own fields").reviewCount,
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
  "an optional field of products is gone": (document) => delete schema(document, "Product").properties.brand,
  "an event is gone": (document) => delete operation(document, "/webhooks", "post").callbacks.priceAlert,
  "an event's field is gone": (document) => delete schema(document, "PriceAlertData").properties.previous,
  "an event has another type": (document) => {
    schema(document, "StockAlertEvent").properties.type = { type: "string", enum: ["stock.changed"] };
  },
  "a server-sent event's field is gone": (document) =>
    delete schema(document, "DeepSearchDeltaEvent").properties.text,
  "a published type is gone": (document) => delete document.components.schemas.WebhookError,
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
  "a new optional body field": (document) => {
    schema(document, "CreateWebhookRequest").properties.label = { type: "string" };
  },
  "a new field of a response": (document) => {
    schema(document, "Product").properties.weight = { type: "string" };
  },
  "a new promised field of a response": (document) => {
    schema(document, "Product").properties.weight = { type: "string" };
    schema(document, "Product").required.push("weight");
  },
  "a new field of an event": (document) => {
    schema(document, "PriceAlertData").properties.weight = { type: "string" };
  },
  "a new kind of server-sent event": (document) => {
    const { whole } = schema(document, "DeepSearchEvent");
    document.components.schemas.DeepSearchPauseEvent = { type: "object", properties: {}, required: [] };
    whole.oneOf?.unshift({ type: "object", properties: {}, required: [] });
  },
  "a new error": (document) => {
    const { responses } = operation(document, "/search/trial");
    if (responses["400"]) responses["409"] = responses["400"];
  },
  "a new code": (document) => schema(document, "InvalidImageCode").words.push("image_too_dark"),
  "a new word for a parameter": (document) => schema(document, "SearchSort").words.push("newest"),
  "a wider bound": (document) => {
    parameter(document, "Count").schema.maximum = 500;
  },
  "a parameter that is no longer required": (document) => {
    parameter(document, "Query").required = false;
  },
  "a new schema": (document) => {
    document.components.schemas.Store = { type: "object" };
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
