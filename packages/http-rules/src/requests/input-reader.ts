import { ApiError } from "@product-search/core/errors.ts";
import type { Operation } from "@product-search/spec/operations";

/** The parts of a request that are read here, as the framework has them. */
export interface ReadableRequest {
  raw: { url?: string | undefined };
  body: unknown;
  query: unknown;
}

/** What the validator cannot do: see that a body is there or not, and read numbers and yes or no from a query. */
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

/** Each returns the text unchanged if it does not have the type: then the validator reports what is allowed. */
const readersOfTypes: Record<string, (text: string) => unknown> = {
  integer: (text) => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : text),
  // The digits and exponents that JSON allows: `String(5 / 3)` has 16 decimals, `String(1e-7)` an exponent.
  number: (text) => (/^[+-]?\d{1,21}(\.\d{1,20})?(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
};

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
