import { availabilities } from "@product-search/core/domain/availability.ts";
import { optionalFields, requiredFields, transforms } from "./profile.ts";

/** The form of a profile as JSON Schema. `profile-rules.ts` checks what a schema cannot express. */

const text = { type: "string", minLength: 1, maxLength: 2000 };
const environmentName = { type: "string", pattern: "^[A-Z][A-Z0-9_]{0,99}$" };
const texts = {
  type: "object",
  maxProperties: 50,
  additionalProperties: { type: "string", maxLength: 2000 },
};

function closed(required: readonly string[], properties: Record<string, object>): object {
  return { type: "object", additionalProperties: false, required, properties };
}

const pageSize = {
  limitParameter: text,
  maxLimit: { type: "integer", minimum: 10, maximum: 1000 },
  maxResults: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
};

const pagination = {
  type: "object",
  required: ["style"],
  discriminator: { propertyName: "style" },
  oneOf: [
    closed(["style", "pageParameter", "limitParameter", "maxLimit"], {
      style: { const: "page" },
      pageParameter: text,
      firstPage: { enum: [0, 1] },
      ...pageSize,
    }),
    closed(["style", "offsetParameter", "limitParameter", "maxLimit"], {
      style: { const: "offset" },
      offsetParameter: text,
      aligned: { type: "boolean" },
      ...pageSize,
    }),
    closed(["style", "cursorParameter", "limitParameter", "maxLimit", "next"], {
      style: { const: "cursor" },
      cursorParameter: text,
      next: text,
      ...pageSize,
    }),
  ],
};

const auth = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: [
    closed(["kind", "in", "name", "secret"], {
      kind: { const: "api-key" },
      in: { enum: ["header", "query"] },
      name: text,
      secret: environmentName,
      prefix: { type: "string", maxLength: 50 },
    }),
    closed(["kind", "tokenUrl", "clientId", "clientSecret"], {
      kind: { const: "oauth2-client-credentials" },
      tokenUrl: text,
      clientId: environmentName,
      clientSecret: environmentName,
      scope: text,
      credentialsIn: { enum: ["basic", "body"] },
    }),
  ],
};

const field = {
  anyOf: [text, closed(["path", "transform"], { path: text, transform: { enum: transforms } })],
};

export const profileSchema = closed(
  ["name", "baseUrl", "currency", "request", "pagination", "answer", "item"],
  {
    name: text,
    baseUrl: text,
    currency: { type: "string", pattern: "^[A-Z]{3}$" },
    request: closed(["path"], {
      path: { type: "string", pattern: "^/", maxLength: 2000 },
      query: texts,
      headers: texts,
      words: closed(["each", "join"], { each: text, join: { type: "string", maxLength: 20 } }),
    }),
    auth,
    pagination,
    answer: closed(["items"], { items: text, total: text }),
    item: closed(
      requiredFields,
      Object.fromEntries([...requiredFields, ...optionalFields].map((name) => [name, field])),
    ),
    availabilityWords: {
      type: "object",
      maxProperties: 100,
      additionalProperties: { enum: availabilities },
    },
    quota: closed([], {
      perSecond: { type: "integer", minimum: 1, maximum: 1000 },
      perDay: { type: "integer", minimum: 1, maximum: 1_000_000_000 },
    }),
    cache: closed([], {
      freshSeconds: { type: "integer", minimum: 0, maximum: 86_400 },
      staleSeconds: { type: "integer", minimum: 0, maximum: 604_800 },
    }),
  },
);
