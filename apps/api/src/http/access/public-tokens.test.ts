import { afterEach, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

const shop = "https://shop.example";
const other = "https://other.example";
let service: TestService;
const start = async (environment: Record<string, string> = {}) => {
  service = await createTestService({ environment });
};
afterEach(() => service.close());

const publicToken = (publicOrigins: string[] = [shop]) =>
  service.token({ scopes: ["search"], publicOrigins });
const ask = (token: string, headers: Record<string, string> = {}, remoteAddress = "203.0.113.7") =>
  service.app.inject({
    url: "/api/v1/search/suggestions?q=mug",
    remoteAddress,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
const preflight = (url: string, method = "GET") =>
  service.app.inject({
    method: "OPTIONS",
    url: `/api/v1${url}`,
    headers: { origin: shop, "access-control-request-method": method },
  });

describe("a public token", () => {
  it("is accepted from pages of its origins, which may read the response", async () => {
    await start();
    const response = await ask(await publicToken(), { origin: shop });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-expose-headers": expect.stringContaining("retry-after"),
      vary: expect.stringContaining("Origin"),
    });
  });

  it("is refused from pages of other origins, with a clear message", async () => {
    await start();
    for (const origin of [other, "https://shop.example.evil.example", "http://shop.example", "null"]) {
      const refused = await ask(await publicToken(), { origin });
      expect(refused.statusCode).toBe(403);
      expect(refused.headers).not.toHaveProperty("access-control-allow-origin");
      expect(refused.json()).toMatchObject({
        code: "forbidden",
        message: expect.stringContaining(`from pages of the origin ${origin}`),
      });
    }
  });

  it("is accepted from all pages if it lists none, and outside browsers", async () => {
    await start();
    const token = await publicToken(["*"]);
    expect((await ask(token, { origin: other })).headers["access-control-allow-origin"]).toBe(other);
    expect((await ask(await publicToken())).statusCode).toBe(200);
  });

  it("can only search", async () => {
    await start();
    const refused = await service.app.inject({
      url: "/api/v1/webhooks",
      headers: { authorization: `Bearer ${await publicToken()}`, origin: shop },
    });
    expect(refused.json()).toMatchObject({ success: false, code: "forbidden" });
    await expect(service.token({ scopes: ["search", "webhooks"], publicOrigins: ["*"] })).rejects.toThrow(
      "search only",
    );
  });

  it("is limited by IP address and by token, and pages can read the 429", async () => {
    await start({ PUBLIC_RATE_LIMIT: "2/60", TOKEN_RATE_LIMIT: "4/60" });
    const token = await publicToken();
    for (let count = 0; count < 2; count++)
      expect((await ask(token, { origin: shop })).headers["ratelimit-policy"]).toBe('"public";q=2;w=60');
    const limited = await ask(token, { origin: shop });
    expect(limited.statusCode).toBe(429);
    expect(limited.headers["access-control-allow-origin"]).toBe(shop);
    // Other addresses can continue, until the token itself is over its limit.
    expect((await ask(token, {}, "203.0.113.8")).statusCode).toBe(200);
    expect((await ask(token, {}, "203.0.113.9")).statusCode).toBe(200);
    const byToken = await ask(token, {}, "203.0.113.10");
    expect(byToken.headers["ratelimit-policy"]).toBe('"token";q=4;w=60');
    expect(byToken.statusCode).toBe(429);
    // Other tokens have no limit by IP address.
    const own = await service.token({ scopes: ["search"] });
    for (let count = 0; count < 4; count++) expect((await ask(own)).statusCode).toBe(200);
  });
});

describe("one address that sends far more than its limit", () => {
  it("leaves the limit of the token to all other visitors", async () => {
    await start({ PUBLIC_RATE_LIMIT: "3/60", TOKEN_RATE_LIMIT: "10/60" });
    const token = await publicToken();
    const statuses: number[] = [];
    for (let count = 0; count < 40; count++) statuses.push((await ask(token, {}, "203.0.113.7")).statusCode);
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    for (let host = 10; host < 17; host++)
      expect((await ask(token, {}, `203.0.113.${host}`)).statusCode).toBe(200);
    // Ten requests have counted for the token.
    const byToken = await ask(token, {}, "203.0.113.20");
    expect(byToken.statusCode).toBe(429);
    expect(byToken.headers["ratelimit-policy"]).toBe('"token";q=10;w=60');
  });
});

describe("a token that is not public", () => {
  it("cannot be used by a page", async () => {
    await start();
    const response = await ask(await service.token({ scopes: ["search"] }), { origin: shop });
    expect(response.statusCode).toBe(200);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });
});

describe("a preflight request", () => {
  it.each([
    ["/search/suggestions", "GET"],
    ["/search/catalog?q=mug", "GET"],
    ["/products/p_1/price-history", "GET"],
    ["/deep-search", "POST"],
  ])("is answered for what a public token can call: %s", async (url, method) => {
    await start();
    const response = await preflight(url, method);
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      "access-control-allow-origin": shop,
      "access-control-allow-methods": method,
      "access-control-allow-headers": expect.stringContaining("authorization"),
    });
  });

  it.each([
    ["/webhooks", "GET"],
    ["/webhooks/wh_1", "DELETE"],
    ["/search/catalog", "POST"],
    ["/nosuch", "GET"],
  ])("is not answered for anything else: %s %s", async (url, method) => {
    await start();
    const response = await preflight(url, method);
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.headers).not.toHaveProperty("access-control-allow-origin");
  });
});
