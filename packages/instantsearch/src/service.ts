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
export async function callService(
  { baseUrl, token, fetch: send = globalThis.fetch }: ServiceOptions,
  path: string,
  init: { method?: string; body?: string; keepalive?: boolean } = {},
): Promise<unknown> {
  const response = await send(`${baseUrl.replace(/\/+$/, "")}${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json",
      ...(init.body !== undefined && { "content-type": "application/json" }),
    },
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body;
  throw Object.assign(new Error(messageOf(body) ?? `The service responded with ${response.status}.`), {
    status: response.status,
  });
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("message" in body)) return undefined;
  return String(body.message);
}
