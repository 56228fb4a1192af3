import { randomBytes } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { parse } from "node:querystring";
import { splitEscaped } from "@product-search/core/domain/name-list.ts";
import { asciiUrl } from "@product-search/core/domain/urls.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { type Operation, operations } from "@product-search/spec/operations";
import { _, Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { validationMessage } from "./validation-message.ts";

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
