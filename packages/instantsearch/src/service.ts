/** Where the service is, and the token for it. */
export interface ServiceOptions {
  /** The base URL with its version, such as `https://search.example.com/api/v1`. */
  baseUrl: string;
  /** A public token: it is visible to everybody who opens the page. */
  token: string;
  /** Replaces the global `fetch`, such as in tests. */
  fetch?: typeof fetch;
}

/** Calls an operation and reads its JSON. An error of the service becomes an `Error` with its message and status. */
export async function callService<Body>(
  { baseUrl, token, fetch: send = globalThis.fetch }: ServiceOptions,
  path: string,
  init: { method?: string; body?: string; keepalive?: boolean } = {},
): Promise<Body> {
  const response = await send(`${baseUrl.replace(/\/+$/, "")}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(init.body !== undefined && { "content-type": "application/json" }),
    },
  });
  if (response.ok) return response.json();
  const { message = `The service responded with ${response.status}.` }: { message?: string } = await response
    .json()
    .catch(() => ({}));
  throw Object.assign(new Error(message), { status: response.status });
}

/** Whether the same call can succeed later. */
export function isBusy(error: unknown): error is Error & { status: number } {
  return error instanceof Error && "status" in error && (error.status === 429 || error.status === 503);
}
