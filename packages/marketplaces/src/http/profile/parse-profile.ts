import { availabilities } from "@product-search/core/domain/availability.ts";
import { Ajv, type ErrorObject } from "ajv";
import { type Document, isMap, isPair, isScalar, LineCounter, parseDocument } from "yaml";
import { compileExpression } from "./expression.ts";
import { optionalFields, type Profile, requiredFields, transforms } from "./profile.ts";

/** The form of a profile as JSON Schema. `checkProfile` checks what a schema cannot express. */

const text = { type: "string", minLength: 1, maxLength: 2000 };

const environmentName = { type: "string", pattern: "^[A-Z][A-Z0-9_]{0,99}$" };

const texts = {
  type: "object",
  maxProperties: 50,
  additionalProperties: { type: "string", maxLength: 2000 },
};

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

const profileSchema = closed(["name", "baseUrl", "currency", "request", "pagination", "answer", "item"], {
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
});

/** All errors of a profile, one per line: file, line, field, what is wrong, remedy. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}

const maxBytes = 100_000;
const maxAliases = 20;
const validate = new Ajv({ allErrors: true, discriminator: true, verbose: true }).compile<Profile>(
  profileSchema,
);

/** Parses and checks a profile. `file` is only used in messages. */
export function parseProfile(text: string, file: string, currency: string): Profile {
  if (text.length > maxBytes) {
    throw new ProfileError(`${file}: is larger than ${maxBytes} bytes; a profile is smaller.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const syntax = [...document.errors, ...document.warnings];
  if (syntax.length > 0) {
    const messages = syntax.map(
      ({ linePos, message }) => `${file}:${linePos?.[0].line ?? 1}: ${firstLine(message)}`,
    );
    throw new ProfileError(messages.join("\n"));
  }
  const value = toValue(document, file);
  const hasForm = validate(value);
  const issues = hasForm ? checkProfile(value, currency) : (validate.errors ?? []).map(toIssue);
  if (hasForm && issues.length === 0) return value;
  const messages = issues.map(({ path, message }) => {
    const line = lineOf(document, path, lines);
    return `${file}:${line}: ${path.join(".") || "the profile"}: ${message}`;
  });
  throw new ProfileError([...new Set(messages)].join("\n"));
}

function toValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    throw new ProfileError(`${file}: has too many YAML aliases; write the values out.`, { cause });
  }
}

function toIssue(error: ErrorObject): ProfileIssue {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  switch (error.keyword) {
    case "additionalProperties": {
      const known = Object.keys(error.parentSchema?.properties ?? {});
      return {
        path: [...path, String(error.params.additionalProperty)],
        message: `is not a known field; known fields here: ${known.join(", ")}.`,
      };
    }
    case "required":
      return { path, message: `${String(error.params.missingProperty)} is missing; it is required.` };
    case "enum":
      return { path, message: `must be one of ${error.params.allowedValues.join(", ")}.` };
    case "discriminator":
      return {
        path: [...path, String(error.params.tag)],
        message: `has an unknown value; ${choices(error)}.`,
      };
    case "pattern":
      return { path, message: `must have the form ${String(error.params.pattern)}.` };
    default:
      return { path, message: `${error.message ?? "is wrong"}.` };
  }
}

function choices({ params, parentSchema }: ErrorObject): string {
  const branches: { properties: Record<string, { const?: string }> }[] = parentSchema?.oneOf ?? [];
  return `choose one of ${branches.map(({ properties }) => properties[params.tag]?.const).join(", ")}`;
}

/** The line of the deepest part of the path that exists. */
function lineOf(document: Document, path: readonly (string | number)[], lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const key = path[depth - 1];
    const pair = isMap(parent)
      ? parent.items.find(
          (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(key),
        )
      : undefined;
    if (isScalar(pair?.key) && pair.key.range) return lines.linePos(pair.key.range[0]).line;
  }
  return 1;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}

function closed(required: readonly string[], properties: Record<string, object>): object {
  return { type: "object", additionalProperties: false, required, properties };
}

interface ProfileIssue {
  path: (string | number)[];
  message: string;
}

/** Checks what the schema cannot express: URLs, placeholders, expressions and the deployment's currency. */
function checkProfile(profile: Profile, currency: string): ProfileIssue[] {
  return [
    ...addressIssues(profile),
    ...templateIssues(profile),
    ...expressionIssues(profile),
    ...(profile.currency === currency
      ? []
      : [
          {
            path: ["currency"],
            message: `is ${profile.currency}, but CURRENCY of this deployment is ${currency}. Use a marketplace site with prices in ${currency}.`,
          },
        ]),
  ];
}

function addressIssues({ baseUrl, auth }: Profile): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const check = (path: string[], address: string): void => {
    const fault = addressIssue(address);
    if (fault) issues.push({ path, message: fault });
  };
  check(["baseUrl"], baseUrl);
  if (auth?.kind === "oauth2-client-credentials") check(["auth", "tokenUrl"], auth.tokenUrl);
  return issues;
}

function addressIssue(address: string): string | undefined {
  if (!URL.canParse(address)) return "is not a URL; write one such as https://api.marketplace.example.";
  const url = new URL(address);
  if (url.username || url.password)
    return "holds credentials; name an environment variable under auth instead.";
  if (url.search || url.hash) return "has a query or a fragment; move parameters to request.query.";
  const isOwnNetwork = /^(localhost|[\d.]+|\[.*\])$/.test(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isOwnNetwork)) {
    return "must be https: credentials would cross the network readable. Plain http is for literal addresses in FETCH_ALLOW_NETWORKS.";
  }
  return undefined;
}

function templateIssues({ request }: Profile): ProfileIssue[] {
  const issues: ProfileIssue[] = [];
  const allowed = new Set(request.words ? ["{query}", "{words}"] : ["{query}"]);
  const templates: [(string | number)[], string][] = [
    [["request", "path"], request.path],
    ...Object.entries(request.query ?? {}).map(([name, value]): [string[], string] => [
      ["request", "query", name],
      value,
    ]),
  ];
  const used = templates.flatMap(([path, template]) =>
    (template.match(/\{[a-z]+\}/g) ?? []).map((placeholder) => {
      if (!allowed.has(placeholder)) {
        issues.push({
          path,
          message: `has the unknown placeholder ${placeholder}; allowed: ${[...allowed].join(", ")}.`,
        });
      }
      return placeholder;
    }),
  );
  if (used.length === 0) {
    issues.push({
      path: ["request", "path"],
      message: "does not contain the search text; write {query} in path or query.",
    });
  }
  if (request.words && !request.words.each.includes("{word}")) {
    issues.push({
      path: ["request", "words", "each"],
      message: "must contain {word}, the placeholder for a word.",
    });
  }
  return issues;
}

function expressionIssues({ answer, item, pagination }: Profile): ProfileIssue[] {
  const expressions: [(string | number)[], string][] = [
    [["answer", "items"], answer.items],
    ...(answer.total === undefined ? [] : [[["answer", "total"], answer.total] satisfies [string[], string]]),
    ...(pagination.style === "cursor"
      ? [[["pagination", "next"], pagination.next] satisfies [string[], string]]
      : []),
    ...Object.entries(item).map(([name, mapping]): [string[], string] =>
      typeof mapping === "string" ? [["item", name], mapping] : [["item", name, "path"], mapping.path],
    ),
  ];
  return expressions.flatMap(([path, expression]) => {
    try {
      compileExpression(expression);
      return [];
    } catch (error) {
      return [{ path, message: error instanceof Error ? error.message : String(error) }];
    }
  });
}

/** The environment variables that the profile names. */
export function secretsOf({ auth }: Profile): string[] {
  if (auth === undefined) return [];
  return auth.kind === "api-key" ? [auth.secret] : [auth.clientId, auth.clientSecret];
}
