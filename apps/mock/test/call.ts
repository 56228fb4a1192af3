/** What a test sends to the mock. */
export interface Call {
  method?: string;
  body?: unknown;
  token?: string;
  headers?: Record<string, string>;
}

export interface Received<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** Calls the interface, or a path beside it that begins with `/__`. */
export function createCall({ origin, baseUrl }: { origin: string; baseUrl: string }) {
  return async <Body = unknown>(path: string, call: Call = {}): Promise<Received<Body>> => {
    const { method = call.body === undefined ? "GET" : "POST", body, token = "partner", headers } = call;
    const response = await fetch(`${path.startsWith("/__") ? origin : baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
}
