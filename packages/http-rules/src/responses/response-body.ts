import { ApiError } from "@product-search/core/errors.ts";
import { isDiskFull } from "@product-search/core/ports/imports.ts";
import { basePath } from "../documents.ts";

/** The first text of an error under `/webhooks`, by its status. */
const titles: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  406: "Not acceptable",
  408: "Request timeout",
  413: "Payload too large",
  415: "Unsupported media type",
  417: "Expectation failed",
  429: "Too many requests",
  431: "Headers too large",
  500: "Internal server error",
  503: "Service unavailable",
};

/** The body of an error. Only this function knows the two envelopes of the interface. */
export function errorBody(
  error: ApiError,
  where: { isWebhookPath: boolean; operationId: string | undefined },
  requestId: string,
): Record<string, unknown> {
  const { code, message } = error;
  if (where.isWebhookPath)
    return { success: false, ...webhookTexts(error, where.operationId), code, requestId };
  if (code === "brand_not_found") return { status: "error", data: message, code, requestId };
  return { status: "error", message, code, requestId };
}

function webhookTexts(error: ApiError, operationId: string | undefined): { message: string; error: string } {
  if (error.status === 400) {
    return { message: "Validation error", error: `Webhook validation failed: ${error.message}` };
  }
  if (operationId === "createWebhook") return { message: "Failed to create webhook", error: error.message };
  return { message: titles[error.status] ?? "Request failed", error: error.message };
}

/** Errors under `/webhooks` have their own envelope, also for unknown paths. */
export function isWebhookPath(url: string): boolean {
  const rest = url.startsWith(`${basePath}/webhooks`)
    ? url.slice(basePath.length + "/webhooks".length)
    : undefined;
  return rest !== undefined && (rest === "" || rest.startsWith("/") || rest.startsWith("?"));
}

/** The error that a client may see. Unknown errors become a sentence without internal details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  const known = knownErrors[code];
  if (known) return known();
  if (isDiskFull(error)) return noRoom();
  if (code.startsWith("FST_ERR_CTP_")) {
    return new ApiError("invalid_request", "body: is not valid JSON. Send one JSON object.", {
      cause: error,
    });
  }
  return new ApiError(
    "internal_error",
    "Internal server error. Try again later. If it persists, report the requestId.",
    {
      cause: error,
    },
  );
}

export const bodyTooLarge = (maxBodyBytes: number) =>
  new ApiError("payload_too_large", `The body is larger than ${maxBodyBytes} bytes. Send a smaller one.`);

export const encodedBody = () =>
  new ApiError("unsupported_media_type", "Content-Encoding: is not supported. Send the body uncompressed.", {
    headers: { "accept-encoding": "identity" },
  });

export const wrongMediaType = (type: string | undefined) =>
  new ApiError(
    "unsupported_media_type",
    `Content-Type: is ${type === undefined ? "missing" : "not supported here"}. Send application/json.`,
  );

const noSuchPath = () => new ApiError("not_found", "The path does not exist. See /docs for the paths.");

/** Nothing was stored: the database writes a whole change or nothing. */
const noRoom = () =>
  new ApiError("unavailable", "The service has no disk space left. Try again later.", {
    retryAfterSeconds: 30,
  });

/** Nothing was stored: PostgreSQL has rolled the transaction back. A retry soon succeeds, because all waiting is limited. */
const busy = (message: string) => () =>
  new ApiError("unavailable", `${message} Send the request again.`, { retryAfterSeconds: 2 });

const knownErrors: Record<string, () => ApiError> = {
  // The client disconnected before its body was complete: nobody reads this response, but it is not an internal error.
  ECONNRESET: () =>
    new ApiError("invalid_request", "body: is shorter than its Content-Length. Send the whole body."),
  // A lock was not free in time, a statement took too long, and a deadlock.
  "55P03": busy("Another change takes too long."),
  "57014": busy("The database takes too long."),
  "40P01": busy("Another change was made at the same time."),
  FST_ERR_BAD_URL: noSuchPath,
  FST_ERR_MAX_PARAM_LENGTH: noSuchPath,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => wrongMediaType("invalid"),
  FST_ERR_CTP_EMPTY_JSON_BODY: () => new ApiError("invalid_request", "body: is missing. Send a JSON object."),
  FST_ERR_CTP_EMPTY_TYPE: () => wrongMediaType(undefined),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError(
      "invalid_request",
      "Content-Length: does not match the body. Send the body's length in bytes.",
    ),
};

interface Schema {
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
}

/** Returns the value itself if all its fields are in the spec, else a copy without the others. */
type Keep = (value: unknown) => unknown;

/**
 * Writes responses as JSON without fields that are not in the schema, so that no internal field is sent by accident.
 * With this check, `JSON.stringify` takes three quarters of the time of a generated serialiser. What is frozen is sent
 * again and again: of such items the JSON is kept.
 */
export function createResponseSerializer(schema: unknown): (response: unknown) => string {
  const whole: Schema = Object(schema);
  const keep = compile(whole) ?? ((response: unknown) => response);
  const members = isOpen(whole) ? [] : membersOf(whole);
  const writers = new Map(members.map(([name, member]) => [name, writeMember(member)]));
  const lists = members.filter(([, { items }]) => items !== undefined).map(([name]) => name);
  const hasFrozenItems = (response: unknown) =>
    isRecord(response) && lists.some((name) => isFrozenList(response[name]));
  return (response) =>
    hasFrozenItems(response) ? writeMembers(Object(response), writers) : JSON.stringify(keep(response));
}

type Write = (value: unknown) => string | undefined;

function writeMember(schema: Schema): Write {
  const keep = compile(schema);
  const write: Write = (value) => JSON.stringify(keep ? keep(value) : value);
  if (schema.items === undefined) return write;
  const writeItem = writeItemOf(schema.items);
  return (value) => (isFrozenList(value) ? `[${value.map(writeItem).join(",")}]` : write(value));
}

/** By the schema: operations whose products have the same one share what is kept. */
const textsOf = new Map<string, WeakMap<object, string>>();

function writeItemOf(schema: Schema): (item: unknown) => string {
  const keep = compile(schema);
  const name = JSON.stringify(schema);
  const texts = textsOf.get(name) ?? new WeakMap<object, string>();
  textsOf.set(name, texts);
  return (item) => {
    const known = isRecord(item) ? texts.get(item) : undefined;
    if (known !== undefined) return known;
    const text = JSON.stringify(keep ? keep(item) : item) ?? "null";
    if (isRecord(item) && Object.isFrozen(item)) texts.set(item, text);
    return text;
  };
}

function isFrozenList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.some((item) => isRecord(item) && Object.isFrozen(item));
}

/** As `JSON.stringify` does. */
function writeMembers(response: Record<string, unknown>, writers: ReadonlyMap<string, Write>): string {
  const members: string[] = [];
  for (const name of Object.keys(response)) {
    const text = writers.get(name)?.(response[name]);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

/** Undefined if nothing can be removed: text, numbers, and objects that the schema leaves open. */
function compile(schema: Schema): Keep | undefined {
  if (schema.items) return keepItems(compile(schema.items));
  const members = membersOf(schema).map(([name, value]) => [name, compile(value)] as const);
  return members.length === 0 || isOpen(schema) ? undefined : keepNamed(new Map(members));
}

function membersOf({ allOf = [], properties = {} }: Schema): [name: string, schema: Schema][] {
  return [...allOf.flatMap(membersOf), ...Object.entries(properties)];
}

function isOpen({ additionalProperties, allOf = [] }: Schema): boolean {
  return (additionalProperties !== undefined && additionalProperties !== false) || allOf.some(isOpen);
}

function keepItems(keep: Keep | undefined): Keep | undefined {
  if (!keep) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const kept = keep(value[index]);
      if (kept === value[index]) continue;
      copy ??= [...value];
      copy[index] = kept;
    }
    return copy ?? value;
  };
}

function keepNamed(named: ReadonlyMap<string, Keep | undefined>): Keep {
  return (value) => {
    if (!isRecord(value)) return value;
    let copy: Record<string, unknown> | undefined;
    for (const name in value) {
      const keep = named.get(name);
      if (keep === undefined && named.has(name)) continue;
      const kept = keep?.(value[name]);
      if (keep && kept === value[name]) continue;
      copy ??= { ...value };
      if (keep) copy[name] = kept;
      else delete copy[name];
    }
    return copy ?? value;
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
