import { setTimeout as delay } from "node:timers/promises";

/** Longer together than the window of a rate limit. */
const maxWaits = 20;
const limitPauseMs = 4000;

/** The URL of the service and the access to it. */
export interface Target {
  /** With the version segment, without a trailing slash. */
  baseUrl: string;
  token: string;
  /** Tokens that lack a scope, by the scope that they lack. */
  tokensWithout?: Record<string, string>;
  /** What the rate limits may be used up with; left out where they must not be. */
  load?: {
    /** The token for it, with all scopes. */
    token: string;
    /** Whether the service believes `X-Forwarded-For`: then the limit by address of another address is used up. */
    trustsForwardedFor: boolean;
  };
}

export interface Response {
  status: number;
  body: Record<string, unknown>;
}

/** The requests that prepare others: upload an image to search for, create a webhook to delete. */
export function createPartner(target: Target) {
  const { baseUrl, token } = target;
  /** A reserved name that never resolves, so that no real host gets requests. Each run has its own, to find what it has created. */
  const run = crypto.randomUUID();
  const webhookUrl = `https://contract-tests.example/hook-${run}`;
  /** The requests that remove what this run has created besides webhooks. */
  const undoing: { method: string; path: string }[] = [];
  let synonyms = 0;
  const unusedRule = { name: `contract tests ${run}`, when: { query: `contract tests ${run}` } };
  let mayHaveRules = false;

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

  /** Like `send`, but waits until a rate limit allows it: what was created must be removed. */
  async function sendPatiently(method: string, path: string): Promise<Response> {
    for (let waits = 0; ; waits++) {
      const received = await send(method, path);
      if (received.status !== 429 || waits >= maxWaits) return received;
      await delay(limitPauseMs);
    }
  }

  return {
    send,
    webhookUrl,
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
    /** A rule for words that nobody searches for, and what removes it at the end of the run. */
    unusedSynonym() {
      // Letters alone: a text is divided into words where letters and digits meet.
      const word = `${run}${++synonyms}`
        .replaceAll("-", "")
        .replaceAll(/./g, (digit) => String.fromCharCode(103 + Number.parseInt(digit, 16)));
      const rule = `zzqqxxjj, ${word}`;
      const path = `/synonyms?rule=${encodeURIComponent(rule)}`;
      return { rule, undo: () => void undoing.push({ method: "DELETE", path }) };
    },
    async synonym(): Promise<string> {
      const { rule, undo } = this.unusedSynonym();
      undo();
      await expectOk("POST", "/synonyms", { body: { rule } });
      return rule;
    },
    /** A product that this run has created; it is removed at the end of the run if it is still there. */
    async unusedProduct(): Promise<string> {
      const key = crypto.randomUUID();
      const row = {
        _id: key,
        name: "Contract test",
        price: 1,
        url: "https://contract-tests.example/product",
      };
      await expectOk("POST", "/products", { body: { source: "marketplace-a", products: [row] } });
      const id = `marketplace-a_${key}`;
      undoing.push({ method: "DELETE", path: `/products/${id}` });
      return id;
    },
    /** A rule of this run for a text that nobody searches for. */
    unusedRule,
    /** For a rule whose id only the response tells. */
    removeRulesLater: () => {
      mayHaveRules = true;
    },
    async rule(): Promise<{ id: string; updatedAt: string }> {
      mayHaveRules = true;
      const { id, updatedAt } = Object((await expectOk("POST", "/rules", { body: unusedRule })).rule);
      return { id: String(id), updatedAt: String(updatedAt) };
    },
    /** All rules in their present order. */
    async ruleIds(): Promise<string[]> {
      await this.rule();
      const { rules } = await expectOk("GET", "/rules");
      return Array.isArray(rules) ? rules.map((rule) => String(Object(rule).id)) : [];
    },
    async undoAll(): Promise<void> {
      if (mayHaveRules) {
        const { rules } = (await sendPatiently("GET", "/rules")).body;
        const own = (Array.isArray(rules) ? rules : [])
          .map(Object)
          .filter(({ name }) => name === unusedRule.name);
        for (const { id } of own) await sendPatiently("DELETE", `/rules/${id}`);
      }
      for (const { method, path } of undoing.splice(0)) await sendPatiently(method, path);
    },
    async webhook(headers: Record<string, string> = {}): Promise<string> {
      const body = { webhookUrl, webhookType: "price.alert" };
      return String(Object((await expectOk("POST", "/webhooks", { body, headers })).data).id);
    },
    async removeWebhook(id: string): Promise<void> {
      await sendPatiently("DELETE", `/webhooks/${id}`);
    },
    /**
     * Deletes every webhook with the URL of this run: also those of which the service did not say that it had created them. Returns how
     * many are left, undefined when the service does not list them.
     */
    async removeAllWebhooks(): Promise<number | undefined> {
      const own = async () => {
        const { data } = (await sendPatiently("GET", "/webhooks")).body;
        if (!Array.isArray(data)) return undefined;
        return data.map(Object).filter((webhook) => webhook.webhookUrl === webhookUrl);
      };
      for (const { id } of (await own()) ?? []) await sendPatiently("DELETE", `/webhooks/${id}`);
      return (await own())?.length;
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

/** One request for each scope that changes nothing. */
const probes = {
  search: ["GET", "/search/suggestions?q=a"],
  webhooks: ["GET", "/webhooks"],
  catalog: ["DELETE", "/products/no-such-thing"],
  merchandising: ["GET", "/synonyms?origin=removed"],
} as const;

/** Asks the service which scopes each token lacks. Throws for a token that lacks none, or that the service does not know. */
export async function sortByMissingScope(
  baseUrl: string,
  tokens: readonly string[],
): Promise<NonNullable<Target["tokensWithout"]>> {
  const without: NonNullable<Target["tokensWithout"]> = {};
  for (const token of tokens) {
    const statusOf = async (method: string, path: string) =>
      (await fetch(baseUrl + path, { method, headers: { authorization: `Bearer ${token}` } })).status;
    const statuses: string[] = [];
    for (const [scope, [method, path]] of Object.entries(probes)) {
      const status = await statusOf(method, path);
      statuses.push(`${status} for ${scope}`);
      if (status === 403) without[scope] = token;
    }
    if (!Object.values(without).includes(token))
      throw new Error(`--narrow-token: the token lacks no scope (${statuses.join(", ")}).`);
  }
  return without;
}
