import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request as rawRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { documentTypes } from "@product-search/http-rules/documents.ts";
import { Webhook } from "standardwebhooks";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { document, documented } from "./documented.ts";
import { startMock } from "./start-mock.ts";

const { baseUrl, port } = await startMock({ data: undefined });

interface Asking {
  method?: string;
  prefer?: string;
  accept?: string;
  token?: string | undefined;
  body?: unknown;
  type?: string;
}
function ask(path: string, { method = "GET", prefer, accept, token = "pss_any", body, type }: Asking = {}) {
  const headers = new Headers();
  if (token) headers.set("authorization", `Bearer ${token}`);
  if (prefer) headers.set("prefer", prefer);
  if (accept) headers.set("accept", accept);
  if (body !== undefined) headers.set("content-type", type ?? "application/json");
  const content = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(`${baseUrl}${path}`, { method, headers, ...(body !== undefined && { body: content }) });
}

/** A target of webhooks on loopback, which responds so, and the first event that it is sent. */
async function startReceiver(status = 200) {
  const { promise: received, resolve } = Promise.withResolvers<{
    headers: Record<string, string>;
    content: string;
  }>();
  const receiver = createServer(async (request, response) => {
    const content = await text(request);
    response.writeHead(status).end();
    const headers = Object.entries(request.headers).map(([name, value]) => [name, `${value}`]);
    resolve({ headers: Object.fromEntries(headers), content });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const stop = async () => {
    receiver.close();
    receiver.closeAllConnections();
    await once(receiver, "close");
  };
  const { port: receiving } = receiver.address() as AddressInfo;
  return { received, webhookUrl: `http://127.0.0.1:${receiving}/hook`, stop };
}

describe("gives every documented response:", async () => {
  // A webhook that is created is sent a sample: to this machine, not to a stranger.
  const { webhookUrl, received, stop } = await startReceiver();
  afterAll(async () => {
    await received;
    await stop();
  });

  it.each(documented)("$operationId $status $type $example", async (documentedCase) => {
    const example = documentedCase.example === undefined ? "" : `, example=${documentedCase.example}`;
    const { method, body } = documentedCase;
    const target = documentedCase.operationId === "createWebhook" && { webhookUrl };
    const response = await ask(documentedCase.path, {
      method,
      accept: documentedCase.type,
      prefer: `code=${documentedCase.status}${example}`,
      ...(typeof body === "object" && { body: { ...body, ...target } }),
    });
    expect(response.status).toBe(documentedCase.status);
    expect(response.headers.get("content-type")).toMatch(`${documentedCase.type}`);
    for (const header of documentedCase.headers) expect(response.headers.get(header), header).toBeTruthy();
    const content = await response.text();
    expect(documentedCase.type === "application/json" ? JSON.parse(content) : content).toEqual(
      documentedCase.value,
    );
  });
});

it("covers every operation", () => {
  const operations = Object.values<object>(document.paths).flatMap((item) => Object.keys(item));
  expect(new Set(documented.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(documented.length).toBeGreaterThan(150);
});

describe("responses as the service would", () => {
  const brands = { method: "POST", body: { query: "nordlys" } };

  it.each([
    ["a call without a token", "/search?imageId=x", { token: "" }, 401, "unauthorized"],
    ["a missing parameter", "/search/trial", {}, 400, "invalid_request"],
    ["a parameter out of bounds", "/search/marketplace-a?q=mug&count=251", {}, 400, "invalid_request"],
    ["an unknown parameter", "/search/trial?q=mug&color=blue", {}, 400, "invalid_request"],
    ["a parameter given twice", "/search/trial?q=mug&q=cup", {}, 400, "invalid_request"],
    [
      "an unknown field",
      "/search/brands",
      { method: "POST", body: { query: "x", color: "blue" } },
      400,
      "invalid_request",
    ],
    ["malformed JSON", "/search/brands", { method: "POST", body: '{"query": "nor' }, 400, "invalid_request"],
    ["an empty body", "/search/brands", { method: "POST", body: "" }, 400, "invalid_request"],
    ["text", "/search/brands", { ...brands, type: "text/plain" }, 415, "unsupported_media_type"],
    [
      "a body of 11 MB",
      "/vectorize-image",
      { method: "POST", body: { base64String: "A".repeat(11_000_000) } },
      413,
      "payload_too_large",
    ],
    [
      "an Accept that nothing satisfies",
      "/search/trial?q=mug",
      { accept: "text/html" },
      406,
      "not_acceptable",
    ],
    ["an unknown path", "/search/stores", {}, 404, "not_found"],
    ["another method", "/search/trial?q=mug", { method: "PUT" }, 405, "method_not_allowed"],
    [
      "a preference for a status that is not documented",
      "/search/trial?q=mug",
      { prefer: "code=504" },
      400,
      "invalid_request",
    ],
    [
      "a preference for an example that is not there",
      "/search/trial?q=mug",
      { prefer: "example=many" },
      400,
      "invalid_request",
    ],
    [
      "a preference that is no status",
      "/search/trial?q=mug",
      { prefer: "code=many" },
      400,
      "invalid_request",
    ],
    [
      "a preference that is neither true nor false",
      "/search/trial?q=mug",
      { prefer: "dynamic=maybe" },
      400,
      "invalid_request",
    ],
  ] as const)("to %s", async (_name, path, asking, status, code) => {
    const response = await ask(path, asking);
    expect(response.status).toBe(status);
    const body: Record<string, unknown> = JSON.parse(await response.text());
    expect(body).toMatchObject({ status: "error", code, message: expect.any(String) });
    expect(response.headers.get("x-request-id")).toBe(body.requestId);
  });

  it("in the envelope of webhooks, unknown paths there included", async () => {
    for (const path of ["/webhooks?limit=1", "/webhooks/wh_1/deliveries/dl_1", "/webhooks/a/b/c/d"]) {
      const body = await (await ask(path)).json();
      expect(body).toMatchObject({ success: false, message: expect.any(String), error: expect.any(String) });
    }
  });

  it("without a base path: not at all", async () => {
    expect((await fetch(`http://127.0.0.1:${port}/search/trial?q=mug`)).status).toBe(404);
  });

  it("with the trial search to anybody, and a new request id each time", async () => {
    const responses = await Promise.all([1, 2].map(() => ask("/search/trial?q=mug", { token: "" })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(responses.map(({ headers }) => headers.get("x-request-id"))).size).toBe(2);
  });
});

it("makes up data from the schemas, other for each seed and the same for one", async () => {
  const made = (seed: string) =>
    ask("/search/trial?q=mug", { prefer: `dynamic=true, seed=${seed}` }).then((a) => a.text());
  const [one, again, other] = await Promise.all([made("1"), made("1"), made("2")]);
  expect(JSON.parse(one)).toMatchObject({ status: "success" });
  expect(again).toBe(one);
  expect(other).not.toBe(one);
});

it("does not let one request's Accept change another's answer", async () => {
  const stream = { method: "POST", accept: "text/event-stream", body: { query: "a mug" } };
  expect((await ask("/deep-search", stream)).headers.get("content-type")).toMatch("text/event-stream");
  const plain = await ask("/deep-search", { method: "POST", body: { query: "a mug" } });
  expect(plain.headers.get("content-type")).toMatch("application/json");
});

describe("a webhook that is created", () => {
  it.each(["price.alert", "stock.alert"])(
    "is sent a sample event of %s, signed with its key",
    async (webhookType) => {
      const { received, webhookUrl, stop } = await startReceiver();
      onTestFinished(stop);
      const body = { webhookUrl, webhookType };
      const created = JSON.parse(await (await ask("/webhooks", { method: "POST", body })).text());
      const { headers, content } = await received;
      expect(new Webhook(created.data.apiKey).verify(content, headers)).toMatchObject({
        type: webhookType,
      });
    },
  );
});

describe("a sample event that does not arrive is told of on standard error:", () => {
  const create = async (webhookUrl: string) => {
    const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    await ask("/webhooks", { method: "POST", body: { webhookUrl, webhookType: "price.alert" } });
    await vi.waitFor(() => expect(said).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    return said.mock.lastCall?.[0];
  };

  it("the target answered something else than 2xx", async () => {
    const { webhookUrl, stop } = await startReceiver(500);
    onTestFinished(stop);
    expect(await create(webhookUrl)).toBe(
      `The sample event did not reach ${webhookUrl}: it responded with 500`,
    );
  });

  it("nobody listens there", async () => {
    const { webhookUrl, stop } = await startReceiver();
    await stop();
    expect(await create(webhookUrl)).toMatch(
      /^The sample event did not reach .+: fetch failed .*ECONNREFUSED/,
    );
  });
});

it.each(Object.entries(documentTypes))("serves /%s as it was built", async (name, type) => {
  const response = await fetch(new URL(`/${name}`, baseUrl));
  expect(response.headers.get("content-type")).toBe(type);
  const built = readFileSync(new URL(import.meta.resolve(`@product-search/spec/${name}`)));
  expect(Buffer.from(await response.arrayBuffer()).equals(built)).toBe(true);
});

it("answers pages of other origins", async () => {
  const response = await ask("/search/brands", { method: "OPTIONS" });
  expect(response.status).toBe(204);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect((await ask("/search/trial?q=mug")).headers.get("access-control-allow-origin")).toBe("*");
});

it("survives a client that leaves in the middle of its body, and a URL that is none", async () => {
  const leaving = rawRequest(`${baseUrl}/search/brands`, {
    method: "POST",
    headers: { "content-length": "100" },
  });
  leaving.on("error", () => {});
  leaving.write("{");
  await new Promise((resolve) => setTimeout(resolve, 50));
  leaving.destroy();
  const odd = rawRequest({ port, host: "127.0.0.1", path: "//" }).end();
  const [response] = await once(odd, "response");
  expect(response.statusCode).toBe(404);
  expect((await ask("/search/trial?q=mug")).status).toBe(200);
});
