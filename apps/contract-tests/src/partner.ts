/** The URL of the service and the access to it. */
export interface Target {
  /** With the version segment, without a trailing slash. */
  baseUrl: string;
  token: string;
  /** Tokens that only a local service provides: one per scope, and one whose rate limit may be used up. */
  limitedTokens?: { search: string; webhooks: string; limited: string };
  /** True if the rate limit by IP address may be used up without affecting the other tests. */
  trustsForwardedFor?: boolean;
}

export interface Response {
  status: number;
  body: Record<string, unknown>;
}

/** The requests that prepare others: upload an image to search for, create a webhook to delete. */
export function createPartner(target: Target) {
  const { baseUrl, token } = target;

  async function send(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(options.body !== undefined && { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const body: unknown = text.startsWith("{") ? JSON.parse(text) : {};
    return { status: response.status, body: Object(body) };
  }

  async function expectOk(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const received = await send(method, path, options);
    if (received.status >= 300) {
      throw new Error(
        `preparing: ${method} ${path} responded with ${received.status} ${JSON.stringify(received.body)}`,
      );
    }
    return received.body;
  }

  return {
    send,
    async imageSlug(base64String: string): Promise<string> {
      return String((await expectOk("POST", "/vectorize-image", { body: { base64String } })).slug);
    },
    /** The identifier of any product of the catalog. */
    async productId(): Promise<string> {
      for (const q of ["a", "mug", "lamp", "shoe", "shirt"]) {
        const { Products } = await expectOk("GET", `/search/trial?q=${q}`);
        const [first] = Array.isArray(Products) ? Products : [];
        if (first) return String(first._id);
      }
      throw new Error("preparing: no product was found to ask for");
    },
    async webhook(headers: Record<string, string> = {}): Promise<string> {
      const body = { webhookUrl, webhookType: "price.alert" };
      return String(Object((await expectOk("POST", "/webhooks", { body, headers })).data).id);
    },
    async removeWebhook(id: string): Promise<void> {
      await send("DELETE", `/webhooks/${id}`);
    },
    async delivery(webhookId: string): Promise<string> {
      await expectOk("POST", `/webhooks/${webhookId}/test`);
      const { data } = await expectOk("GET", `/webhooks/${webhookId}/deliveries`);
      const [newest] = Array.isArray(data) ? data : [];
      return String(Object(newest).id);
    },
  };
}

export type Partner = ReturnType<typeof createPartner>;

/** A reserved name that never resolves: it may be registered, and no real host gets requests. */
export const webhookUrl = "https://contract-tests.example/hook";
