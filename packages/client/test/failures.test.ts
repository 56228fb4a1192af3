import { createServer } from "node:net";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { statusOfCode } from "@product-search/types";
import { describe, expect, it } from "vitest";
import { createClient, isProductSearchError } from "../src/index.ts";
import { documentedResponses } from "./documented-operations.ts";
import { respondWithJson, startService } from "./service.ts";

describe("failures", () => {
  const page = "<html><body>502 Bad Gateway</body></html>";

  describe("a response that is not from the service", () => {
    it.each([
      ["a proxy's page", 502, "text/html", page, page],
      ["a page that pretends to be a success", 200, "text/html", page, page],
      ["nothing at all", 500, "text/plain", "", ""],
      ["an empty success", 200, "application/json", "", ""],
      ["JSON that is cut off", 200, "application/json", '{"status": "succ', '{"status": "succ'],
      ["JSON of something else", 200, "application/json", '{"hello": "world"}', { hello: "world" }],
      ["null", 404, "application/json", "null", null],
      ["a code of a later version", 418, "application/json", '{"code": "teapot"}', { code: "teapot" }],
      [
        "a code under another status",
        400,
        "application/json",
        '{"code": "rate_limited"}',
        { code: "rate_limited" },
      ],
      ["a code named like a method", 400, "application/json", '{"code": "toString"}', { code: "toString" }],
    ])("is told as such: %s", async (_name, status, type, text, body) => {
      const { client } = await startService((response) => {
        response.writeHead(status, { "content-type": type }).end(text);
      });
      const error: unknown = await client.searchTrial({ q: "mug" }, { retries: 0 }).catch((caught) => caught);
      if (!isProductSearchError(error)) throw error;
      expect(error).toMatchObject({ code: "unexpected_response", status, body });
      expect(error.response?.headers.get("content-type")).toBe(type);
      expect(error.message).toContain(`status ${status}`);
    });
  });

  describe("an error returned before an operation is reached", () => {
    const documented = new Set(documentedResponses.map(({ body }) => body.code));
    const early = Object.entries(statusOfCode).filter(([code]) => !documented.has(code));

    it.each(early)("is typed like any other: %s, status %i", async (code, status) => {
      const body = { status: "error", message: "No.", code, requestId: "request-1" };
      const { client } = await startService((response) => respondWithJson(response, status, body));
      await expect(client.searchTrial({ q: "mug" }, { retries: 0 })).rejects.toMatchObject({
        code,
        status,
        body,
        message: "No.",
      });
    });
  });

  describe("a base URL without the version", () => {
    it.each([
      [404, { status: "error", message: "No such path.", code: "not_found", requestId: "request-1" }],
      [200, "a page"],
    ])("is explained where the path does not exist: status %i", async (status, body) => {
      const { baseUrl } = await startService((response) => respondWithJson(response, status, body));
      const { origin } = new URL(baseUrl);
      for (const wrong of [origin, `${origin}/`]) {
        const client = createClient({ baseUrl: wrong, retries: 0 });
        const remedy = `baseUrl "${wrong}" has no version: use "${origin}/api/v1".`;
        await expect(client.searchTrial({ q: "mug" })).rejects.toThrow(remedy);
        const first = client.deepSearchStream({ query: "mug" }).next();
        await expect(first).rejects.toThrow(remedy);
      }
      const client = createClient({ baseUrl, retries: 0 });
      await expect(client.searchTrial({ q: "mug" })).rejects.not.toThrow("has no version");
    });
  });

  describe("no response", () => {
    it("is a network error with its cause when nothing listens on the port", async () => {
      const server = createServer();
      const port = await new Promise((resolve) =>
        server.listen(0, "127.0.0.1", () => resolve(Object.values(server.address() ?? {}).at(-1))),
      );
      await new Promise((resolve) => server.close(resolve));
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}/api/v1`, retries: 0 });
      const error: unknown = await client.searchTrial({ q: "mug" }).catch((caught) => caught);
      expect(error).toMatchObject({ code: "network_error", status: undefined, response: undefined });
      expect(error).toHaveProperty("cause");
      expect(error).toHaveProperty(
        "message",
        `GET http://127.0.0.1:${port}/api/v1/search/trial: the connection failed before the response was complete (ECONNREFUSED). See the cause for details.`,
      );
    });

    it("is a timeout when the time limit is reached, also while the body is received", async () => {
      for (const begun of [false, true]) {
        const { client } = await startService((response) => {
          if (begun) response.writeHead(200).write("{");
        });
        await expect(client.searchTrial({ q: "mug" }, { timeoutMs: 100 })).rejects.toMatchObject({
          code: "timeout",
        });
      }
    });

    it("is a timeout even if the garbage collector runs while the call waits", async () => {
      setFlagsFromString("--expose-gc");
      const collectGarbage: () => void = runInNewContext("gc");
      const { client } = await startService(() => {});
      const collecting = setInterval(collectGarbage, 10);
      await expect(client.searchTrial({ q: "mug" }, { timeoutMs: 200 })).rejects.toMatchObject({
        code: "timeout",
      });
      clearInterval(collecting);
    });

    it.each(["network_error", "timeout"])(
      "names the method and the URL without its query: %s",
      async (code) => {
        const { baseUrl } = await startService((response) => {
          if (code === "network_error") response.destroy();
        });
        const client = createClient({ baseUrl, token: "pss_secret", retries: 0, timeoutMs: 100 });
        const calls = {
          "GET /search/marketplace-a": () => client.searchMarketplaceA({ q: "private words" }),
          "POST /search/brands": () => client.searchBrands({ query: "private words" }),
          "DELETE /webhooks/wh_1": () => client.deleteWebhook("wh_1"),
        };
        for (const [name, call] of Object.entries(calls)) {
          const error: unknown = await call().catch((caught) => caught);
          const beginning = `${name.replace(" ", ` ${baseUrl}`)}: `;
          expect(error).toMatchObject({ code, message: expect.stringContaining(beginning) });
          expect(String(error)).not.toMatch(/private|pss_secret|\?/);
        }
      },
    );

    it("names the request that timed out, if a call makes two requests", async () => {
      const { baseUrl, client } = await startService((response, { method }) => {
        if (method === "POST") respondWithJson(response, 200, { status: "success", slug: "im_1" });
      });
      await expect(client.searchByImage(new Uint8Array([1]), { timeoutMs: 300 })).rejects.toThrow(
        `GET ${baseUrl}/search: no complete response within 300 ms. Raise timeoutMs, or try again later.`,
      );
    });

    it("is a timeout when the retries together take too long", async () => {
      const { client, received } = await startService((response, _received, count) => {
        if (count === 1) respondWithJson(response, 503, {}, { "retry-after": "0" });
      });
      await expect(client.searchTrial({ q: "mug" }, { timeoutMs: 2000 })).rejects.toMatchObject({
        code: "timeout",
      });
      expect(received).toHaveLength(2);
    });
  });

  describe("abort", () => {
    it("rejects with the caller's reason while waiting for the response", async () => {
      const controller = new AbortController();
      const { client } = await startService(() => controller.abort(new Error("no longer wanted")));
      const options = { signal: controller.signal, retries: 0 };
      await expect(client.searchTrial({ q: "mug" }, options)).rejects.toThrow("no longer wanted");
    });
    it("rejects in the pause before a retry", async () => {
      const controller = new AbortController();
      const { client, received } = await startService((response) => {
        respondWithJson(response, 503, {}, { "retry-after": "20" });
        setTimeout(() => controller.abort(), 50);
      });
      await expect(client.searchTrial({ q: "mug" }, { signal: controller.signal })).rejects.toThrow(
        expect.objectContaining({ name: "AbortError" }),
      );
      expect(received).toHaveLength(1);
    });
    it("sends nothing if the signal aborted before the call", async () => {
      const { client, received } = await startService((response) => respondWithJson(response, 500, {}));
      await expect(client.searchTrial({ q: "mug" }, { signal: AbortSignal.abort() })).rejects.toThrow(
        expect.objectContaining({ name: "AbortError" }),
      );
      expect(received).toHaveLength(0);
    });
  });

  it("keeps the raw response out of logs", async () => {
    const { client } = await startService((response) => respondWithJson(response, 500, {}));
    const error: unknown = await client.searchTrial({ q: "mug" }).catch((caught) => caught);
    expect(Object.keys(Object(error))).not.toContain("response");
    expect(error).toHaveProperty("response.status", 500);
  });

  it("distinguishes its own errors from others", () => {
    expect(isProductSearchError(new Error("other"))).toBe(false);
    expect(isProductSearchError(undefined)).toBe(false);
  });
});

describe("readable errors", () => {
  const refusal = { status: "error", message: "q: is missing.", code: "invalid_request", requestId: "r-1" };

  async function errorOf(
    work: (client: ReturnType<typeof createClient>) => Promise<unknown>,
  ): Promise<unknown> {
    const { baseUrl } = await startService((response) =>
      respondWithJson(response, 400, refusal, { "x-request-id": "r-1" }),
    );
    return work(createClient({ baseUrl })).catch((error: unknown) => error);
  }

  async function whatThePartnerWrote(client: ReturnType<typeof createClient>): Promise<unknown> {
    return client.searchTrial({ q: "" });
  }

  it("the stack of an error begins with its name and message, and leads to the partner's call", async () => {
    const error = await errorOf(whatThePartnerWrote);
    const { stack } = Object(error);
    expect(stack).toMatch(/^ProductSearchError: q: is missing\.\n/);
    expect(stack).toMatch(/whatThePartnerWrote/);
    expect(stack).not.toMatch(/read-response|\/send\.ts/);
  });

  it("so does the stack of a stream's error", async () => {
    const error = await errorOf(async function partnerStream(client) {
      for await (const _ of client.deepSearchStream({ query: "a" }));
    });
    expect(Object(error).stack).toMatch(/partnerStream/);
  });

  it("an error that is printed shows what a partner needs, and no bodies", async () => {
    const printed = inspect(await errorOf(whatThePartnerWrote));
    expect(printed).toMatch(/status: 400/);
    expect(printed).toMatch(/code: 'invalid_request'/);
    expect(printed).toMatch(/requestId: 'r-1'/);
    expect(printed).not.toMatch(/response:|body:|name:/);
  });
});
