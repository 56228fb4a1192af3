import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { parse } from "node:querystring";
import { splitEscaped } from "@product-search/core/domain/name-list.ts";
import { asciiUrl } from "@product-search/core/domain/urls.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { type Operation, operations } from "@product-search/spec/operations";
import { _, Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";

/** Identifiers that are unique across threads and processes. */
export function createRequestIds(): () => string {
  const prefix = randomBytes(9).toString("base64url");
  let count = 0;
  return () => {
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** The client's own identifier, if it is safe to log. */
export function sentRequestId(headers: IncomingHttpHeaders): string | undefined {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.:-]{1,64}$/.test(sent) ? sent : undefined;
}

/**
 * The media type to respond with: the one that the client prefers, the first of `produces` if it prefers several equally,
 * undefined if the client accepts none of them (RFC 9110, 12.5.1).
 */
export function negotiate(accept: string | undefined, produces: readonly string[]): string | undefined {
  if (accept === undefined || accept === "*/*" || accept === produces[0]) return produces[0];
  const ranges = accept.split(",").map(parseRange);
  let best: { type: string; quality: number } | undefined;
  for (const type of produces) {
    const quality = qualityOf(type, ranges);
    if (quality > 0 && (!best || quality > best.quality)) best = { type, quality };
  }
  return best?.type;
}

interface MediaRange {
  range: string;
  quality: number;
}

function parseRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { range, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** The preference of the most specific range that matches the type. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const candidate of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((one) => one.range === candidate);
    if (range) return range.quality;
  }
  return 0;
}

/** The parts of a request that are read here, as the framework has them. */
export interface ReadableRequest {
  raw: { url?: string | undefined };
  body: unknown;
  query: unknown;
}

/** What the validator cannot do: see that a body is there or not, and read numbers, lists and yes or no from a query. */
export function createInputReader({ body, schemas }: Operation): (request: ReadableRequest) => void {
  const readers = Object.entries(schemas.query.properties ?? {}).flatMap(([name, { type }]) => {
    const read = readersOfTypes[type ?? ""];
    return read ? [{ name, read }] : [];
  });
  return (request) => {
    checkQueryEncoding(request.raw.url ?? "");
    const hasBody = request.body !== undefined && request.body !== null;
    if (body === "required" && !hasBody) {
      throw new ApiError("invalid_request", "body: is missing. Send a JSON object.");
    }
    if (body === "none" && hasBody) {
      throw new ApiError("invalid_request", "body: is not allowed for this operation. Remove it.");
    }
    const query: Record<string, unknown> = Object(request.query);
    for (const { name, read } of readers) {
      const value = query[name];
      if (typeof value === "string") query[name] = read(value);
    }
  };
}

/**
 * Each returns the text unchanged if it does not have the type: then the validator reports what is allowed. A list that is sent
 * once is divided at its commas; one that is sent several times is a list already. Escapes stay for the feature to read.
 */
const readersOfTypes: Record<string, (text: string) => unknown> = {
  array: splitList,
  integer: (text) => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : text),
  // The digits and exponents that JSON allows: `String(5 / 3)` has 16 decimals, `String(1e-7)` an exponent.
  number: (text) => (/^[+-]?\d{1,21}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
};

/** At the commas that have no backslash before them. */
export function splitList(text: string): string[] {
  return splitEscaped(text, ",");
}

/** Otherwise the query parser would read `%zz` as three letters. */
function checkQueryEncoding(url: string): void {
  const query = url.indexOf("?");
  if (query === -1 || !url.includes("%", query)) return;
  try {
    decodeURIComponent(url.slice(query + 1));
  } catch {
    throw new ApiError(
      "invalid_request",
      "query: is not percent-encoded UTF-8. Write the character % as %25.",
    );
  }
}

export interface Validator {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/**
 * Values of query and path stay text, and nothing is coerced or removed: a request that violates the spec is refused.
 * A schema is compiled when it is first needed: all of them would take 60 ms of the start of each thread.
 */
export function createValidatorCompiler() {
  const ajv = new Ajv({
    // They are those of the spec, which its own tests check.
    validateSchema: false,
    coerceTypes: false,
    useDefaults: true,
    removeAdditional: false,
    strict: false,
    verbose: true,
  });
  formats.default(ajv);
  replaceLengths(ajv);
  // A host may be written in any script: the format is checked on its punycode form.
  const isUri = formats
    .default(new Ajv({ validateSchema: false }))
    .compile({ type: "string", format: "uri" });
  ajv.addFormat("uri", (text) => isUri(asciiUrl(text)));
  return ({ schema }: { schema: unknown }) => {
    let compiled: ValidateFunction | undefined;
    const validate: Validator = (value) => {
      compiled ??= ajv.compile(Object(schema));
      const isValid = compiled(value);
      validate.errors = compiled.errors ?? null;
      return isValid;
    };
    return validate;
  };
}

/** Ajv's own keywords count every character, those of an image of 9 MB too: 25 ms. A code point has one or two units. */
function replaceLengths(ajv: Ajv): void {
  const checks: Record<string, (units: number, limit: number, points: () => number) => boolean> = {
    minLength: (units, limit, points) => units >= 2 * limit || (units >= limit && points() >= limit),
    maxLength: (units, limit, points) => units <= limit || (units <= 2 * limit && points() <= limit),
  };
  for (const [keyword, fits] of Object.entries(checks)) {
    ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type: "string",
      schemaType: "number",
      errors: false,
      error: { message: keyword, params: ({ schemaCode }) => _`{limit: ${schemaCode}}` },
      compile: (limit: number) => (text: string) => fits(text.length, limit, () => [...text].length),
    });
  }
}

/**
 * Checks parameters of a catalog search that come from a body as those of a query, when these have been read. `Search` is their
 * type in the spec.
 */
export function createSearchReader<Search>(
  compile: ReturnType<typeof createValidatorCompiler>,
): (parameters: unknown) => Search {
  const validate = compile({ schema: operations.searchCatalog.schemas.query });
  const isSearch = (parameters: unknown): parameters is Search => validate(parameters);
  return (parameters) => {
    if (isSearch(parameters)) return parameters;
    throw new ApiError("invalid_request", validationMessage(validate.errors ?? [], "search"));
  };
}

/** The same for a query that does not come with a request: `brands=Ilmari&onSale=true`. */
export function createSearchTextReader<Search>(): (text: string) => Search {
  const readInput = createInputReader(operations.searchCatalog);
  const readSearch = createSearchReader<Search>(createValidatorCompiler());
  return (text) => {
    const query: Record<string, unknown> = { ...parse(text) };
    readInput({ raw: { url: `?${text}` }, body: undefined, query });
    return readSearch(query);
  };
}

const shownCharacters = 60;

/** "count: 251 is too large. Send a whole number from 1 to 250.": field, problem and remedy of the first violation. */
export function validationMessage(errors: readonly ErrorObject[], part: string): string {
  const error = errors[0];
  if (!error) return `${part}: is not valid.`;
  const field = fieldName(error, part);
  return `${field}: ${fault(error, part)}`;
}

function fieldName({ instancePath, keyword, params, parentSchema }: ErrorObject, part: string): string {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : step.replaceAll("~1", "/").replaceAll("~0", "~")));
  if (keyword === "required") path.push(String(params.missingProperty));
  if (keyword === "additionalProperties") path.push(show(String(params.additionalProperty)));
  // An entry of a list in a query: the list is what was sent.
  const name = (part === "query" ? path.slice(0, 1) : path).join(".").replaceAll(".[", "[");
  if (part === "headers") return headerName(name, Object(parentSchema));
  return name === "" ? part : name;
}

/** Headers are validated in lower case. The title of their schema is the name in the spec. */
function headerName(name: string, parentSchema: SchemaNode): string {
  return (parentSchema.properties?.[name] ?? parentSchema).title ?? name;
}

function fault(error: ErrorObject, part: string): string {
  const { keyword, params, data } = error;
  const rule = rangeText(error);
  switch (keyword) {
    case "required":
      return `is missing. ${hint(error)}`;
    case "additionalProperties":
      return part === "query"
        ? "is not a parameter of this operation. Leave it out."
        : "is not a known field. Leave it out.";
    case "type":
      if (Array.isArray(data) && part === "query") return "is given more than once. Send it once.";
      return `${show(data)} is not ${article(String(params.type))}. ${rule}`;
    case "enum":
      return notOneOf(data, params.allowedValues);
    case "minimum":
      return `${show(data)} is too small. ${rule}`;
    case "maximum":
      return `${show(data)} is too large. ${rule}`;
    case "minLength":
      return `is too short. ${rule}`;
    case "maxLength":
      return `is too long. ${rule}`;
    case "pattern":
      if (error.parentSchema?.["x-values"]) return notOneOf(data, error.parentSchema["x-values"]);
      return `${show(data)} does not have the right form. ${hint(error)}`;
    case "minItems":
    case "maxItems":
      return `has ${Array.isArray(data) ? data.length : "too many"} entries. ${rule}`;
    case "minProperties":
    case "maxProperties":
      return `has too ${keyword === "minProperties" ? "few" : "many"} members. ${membersText(error)}`;
    case "uniqueItems":
      return "has the same entry more than once. Send each once.";
    case "format":
      return `${show(data)} is not a valid ${params.format}.`;
    default:
      return `${error.message ?? "is not valid"}.`;
  }
}

function notOneOf(data: unknown, values: readonly unknown[] = []): string {
  return `${show(data)} is not allowed. Send one of ${values.join(", ")}.`;
}

interface SchemaNode {
  type?: string;
  title?: string;
  properties?: Record<string, SchemaNode>;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  example?: unknown;
}

/** Describes what the schema allows. */
function rangeText({ parentSchema }: ErrorObject): string {
  const schema: SchemaNode = Object(parentSchema);
  switch (schema.type) {
    case "integer":
    case "number":
      return `Send a ${schema.type === "integer" ? "whole number" : "number"}${bounds(schema.minimum, schema.maximum)}.`;
    case "string":
      return `Send ${["a string", amount(schema.minLength, schema.maxLength, "character")].filter(Boolean).join(" of ")}.`;
    case "array":
      return `Send ${amount(schema.minItems, schema.maxItems, "entry", "entries") || "a list"}.`;
    case "object":
      return "Send a JSON object.";
    case "boolean":
      return "Send true or false.";
    default:
      return "See the operation's description for what is allowed.";
  }
}

/** "Send at least 2 of factor, brands." Names are said where the schema has them. */
function membersText({ parentSchema }: ErrorObject): string {
  const { minProperties, maxProperties, properties }: SchemaNode = Object(parentSchema);
  const names = Object.keys(properties ?? {}).join(", ");
  const count = amount(minProperties, maxProperties, "member");
  return `Send ${names ? `${count.replace(/ members?$/, "")} of ${names}` : count}.`;
}

function bounds(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max !== undefined ? ` of at most ${max}` : "";
}

/** "1 to 50 entries"; nothing if the schema has no bound. */
function amount(min: number | undefined, max: number | undefined, one: string, many = `${one}s`): string {
  const unit = (count: number) => `${count} ${count === 1 ? one : many}`;
  if (min !== undefined && max !== undefined) return `${min} to ${unit(max)}`;
  if (min !== undefined) return `at least ${unit(min)}`;
  return max !== undefined ? `at most ${unit(max)}` : "";
}

function hint({ parentSchema, params, keyword }: ErrorObject): string {
  const parent: SchemaNode = Object(parentSchema);
  const schema = keyword === "required" ? parent.properties?.[String(params.missingProperty)] : parent;
  if (schema?.example !== undefined) return `Send something like ${show(schema.example)}.`;
  if (schema?.type === "string" && schema.maxLength !== undefined) {
    return `Send ${amount(schema.minLength, schema.maxLength, "character")}, not only white space.`;
  }
  return schema?.type ? `Send ${article(schema.type)}.` : "See the operation's description for its form.";
}

function article(type: string): string {
  if (type === "integer") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The value as sent, shortened for the message. */
function show(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const characters = Array.from(text);
  const cut =
    characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join("")}…` : text;
  return text === cut && /^[\w.:,[\]-]+$/.test(cut) ? cut : JSON.stringify(cut);
}

/** The token in the header. Throws the challenge of RFC 6750 if there is none. */
export function readToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw unauthorized(undefined, "the token is missing. Send `Authorization: Bearer <ACCESS_TOKEN>`.");
  }
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  if (!match?.[1]) {
    throw unauthorized(
      "invalid_request",
      "the header is malformed. Send `Authorization: Bearer <ACCESS_TOKEN>`.",
    );
  }
  return match[1];
}

/** The error for an invalid or missing token. */
export function unauthorized(error: string | undefined, description: string): ApiError {
  const detail = error
    ? `, error="${error}", error_description="${description.replaceAll(/["\\]/g, "'")}"`
    : "";
  return new ApiError("unauthorized", `Authorization: ${description}`, {
    headers: { "www-authenticate": `Bearer realm="product-search"${detail}` },
  });
}
