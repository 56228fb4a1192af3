import { dereference, type OpenApiDocument, type Operation, type Response } from "./document.ts";

/**
 * The document in the form for the comparison: references are resolved, so that each schema is compared where it is
 * sent or received; examples, links and tags are removed; and callbacks and server-sent events are turned into
 * responses, because partners read them in the same way.
 */
export function comparable(document: OpenApiDocument): OpenApiDocument {
  const resolved = dereference(document);
  const paths: OpenApiDocument["paths"] = {};
  for (const [path, item] of Object.entries(resolved.paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(item)) {
      const { callbacks = {}, ...rest } = operation;
      paths[path][method] = { ...rest, tags: [] };
      for (const [name, callback] of Object.entries(callbacks)) {
        for (const sent of Object.values(callback).flatMap((methods) => Object.values(methods))) {
          paths[`/callbacks/${name}`] = { get: asResponse(sent.requestBody?.content ?? {}) };
        }
      }
    }
  }
  for (const [name, schema] of Object.entries(resolved.components.schemas)) {
    // A union is compared by its members. A new member does not break clients, which ignore unknown ones.
    if (name.endsWith("Event") && !schema.oneOf) {
      paths[`/events/${name}`] = { get: asResponse({ "application/json": { schema } }) };
    }
  }
  return withoutAnnotations({
    ...resolved,
    tags: [],
    paths,
    components: { schemas: {}, parameters: {}, responses: {} },
  });
}

function asResponse(content: NonNullable<Response["content"]>): Operation {
  return {
    operationId: "",
    tags: [],
    summary: "",
    description: "",
    responses: { 200: { description: "", content } },
  };
}

/** Fields that a response may gain or lose without breaking anybody. */
const annotations = new Set(["example", "examples", "links"]);

function withoutAnnotations<Value>(value: Value, inProperties = false): Value {
  if (Array.isArray(value)) return value.map((item) => withoutAnnotations(item)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    // A property may be called "example"; only the keywords are dropped.
    .filter(([key]) => inProperties || !annotations.has(key))
    .map(([key, inner]) => [key, withoutAnnotations(inner, key === "properties" && !inProperties)]);
  return Object.fromEntries(kept) as Value;
}

/** Every schema name of the document: each is a published type. */
export function schemaNames(document: OpenApiDocument): string[] {
  return Object.keys(document.components.schemas);
}
