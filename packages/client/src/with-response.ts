const responses = new WeakMap<object, Response>();

/** Keeps the response to which a body belongs, as long as the body is used. */
export function keepResponse(body: object, response: Response): void {
  responses.set(body, response);
}

/**
 * The body of a call with its response, for status and headers: `await withResponse(client.searchCatalog({ q }))`. The
 * body of the response has been read.
 */
export async function withResponse<Data extends object>(
  call: Promise<Data>,
): Promise<{ data: Data; response: Response }> {
  const data = await call;
  const response = responses.get(data);
  if (response !== undefined) return { data, response };
  throw new TypeError(
    "withResponse: this is not the result of a single request. Use onResponse for calls that make several.",
  );
}
