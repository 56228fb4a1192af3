import { ApiError } from "@product-search/core/errors.ts";
import type { AccountStore } from "@product-search/core/ports/accounts.ts";
import { revokeToken } from "@product-search/features/accounts/accounts.ts";
import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createTestService,
  type TestService,
  type TestServiceOptions,
  testActor,
} from "../../../testing/test-service.ts";
import { type MetricsServerSettings, startMetricsServer } from "../metrics-server.ts";

describe("access", () => {
  let service: TestService;
  const start = async (options: TestServiceOptions = {}) => {
    service = await createTestService(options);
  };
  afterEach(() => service.close());

  const list = (token: string, remoteAddress = "203.0.113.7", headers = {}) =>
    service.app.inject({
      url: "/api/v1/webhooks",
      remoteAddress,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });

  describe("a token with networks", () => {
    it("is accepted from them and refused from elsewhere with a clear message", async () => {
      await start();
      const token = await service.token({ networks: ["203.0.113.0/24", "2001:db8::/32"] });
      expect((await list(token)).statusCode).toBe(200);
      expect((await list(token, "::ffff:203.0.113.9")).statusCode).toBe(200);
      expect((await list(token, "2001:db8::5")).statusCode).toBe(200);
      const refused = await list(token, "198.51.100.1");
      expect(refused.statusCode).toBe(403);
      expect(refused.json()).toMatchObject({
        success: false,
        code: "forbidden",
        error: expect.stringMatching(/may not be used from the address 198\.51\.100\.1.*networks/),
      });
    });

    it("is checked against the client's address behind a trusted proxy, otherwise against the proxy's", async () => {
      await start({ environment: { TRUST_PROXY: "10.0.0.0/8" } });
      const token = await service.token({ networks: ["203.0.113.0/24"] });
      const forwarded = { "x-forwarded-for": "203.0.113.7" };
      expect((await list(token, "10.0.0.1", forwarded)).statusCode).toBe(200);
      expect((await list(token, "198.51.100.1", forwarded)).statusCode).toBe(403);
    });

    it("does not update its last use when it is refused", async () => {
      await start();
      const token = await service.token({ networks: ["203.0.113.0/24"] });
      await list(token, "198.51.100.1");
      await service.app.close();
      expect((await service.stores.accountStore.listTokens())[0]).not.toHaveProperty("lastUsedAtMs");
    });
  });

  describe("X-Forwarded-For of a trusted proxy", () => {
    it.each([
      [
        "203.0.113.7:4711",
        "203.0.113.7:4712",
        "[::ffff:203.0.113.7]:80",
        "::FFFF:203.0.113.7",
        "203.000.113.007",
      ],
      ["2001:db8::9", "2001:DB8::9", "[2001:0db8:0::9]:80", "2001:db8::9%eth0", '"[2001:db8::9]"'],
      ["unknown", "_hidden", "nobody", "x".repeat(500), ""],
      [
        "203.0.113.7, 10.0.0.2:80",
        "203.0.113.7,10.0.0.3",
        "198.51.100.1, 203.0.113.7",
        "203.0.113.7, ::ffff:10.0.0.4",
        "203.0.113.7:1",
      ],
    ])("is one address in all spellings: %s", async (...spellings) => {
      await start({ environment: { TRUST_PROXY: "10.0.0.0/8", TRIAL_RATE_LIMIT: "4/60" } });
      const statuses: number[] = [];
      for (const text of spellings) {
        const response = await service.app.inject({
          url: "/nosuch",
          remoteAddress: "10.0.0.1",
          headers: { "x-forwarded-for": text },
        });
        statuses.push(response.statusCode);
      }
      expect(statuses).toEqual([404, 404, 404, 404, 429]);
    });

    it("is checked against a token's networks, and shown in the audit log, without its port", async () => {
      await start({ environment: { TRUST_PROXY: "10.0.0.0/8" } });
      const token = await service.token({ networks: ["203.0.113.0/24"] });
      const created = await service.app.inject({
        method: "POST",
        url: "/api/v1/webhooks",
        remoteAddress: "10.0.0.1",
        headers: { authorization: `Bearer ${token}`, "x-forwarded-for": "[::FFFF:203.0.113.7]:4711" },
        payload: { webhookUrl: "https://8.8.8.8/hook", webhookType: "price.alert" },
      });
      expect(created.statusCode).toBe(201);
      const { entries } = await service.stores.auditLog.list({ limit: 1 });
      expect(entries[0]?.actor).toMatchObject({ address: "203.0.113.7" });
    });
  });

  describe("a token while the store cannot be read", () => {
    const unavailable = () => Promise.reject(new ApiError("unavailable", "The database cannot be reached."));
    let find: AccountStore["findTokenByHash"] | undefined;
    const startFailing = () =>
      start({
        stores: ({ accountStore }) => ({
          accountStore: {
            ...accountStore,
            findTokenByHash: (hash) => (find ?? accountStore.findTokenByHash)(hash),
          },
        }),
      });
    beforeEach(() => {
      find = undefined;
    });

    it("is believed for a minute when it was good before, and refused with 503 when it was never seen", async () => {
      await startFailing();
      const [known, unseen] = [await service.token(), await service.token()];
      expect((await list(known)).statusCode).toBe(200);
      find = unavailable;
      service.clock.nowMs += 59_000;
      expect((await list(known)).statusCode).toBe(200);
      expect((await list(unseen)).statusCode).toBe(503);
      service.clock.nowMs += 2000;
      expect((await list(known)).statusCode).toBe(503);
    });

    it("is believed when the store says nothing, and not any more once it says that it was revoked", async () => {
      await startFailing();
      const token = await service.token();
      expect((await list(token)).statusCode).toBe(200);
      find = () => new Promise(() => {});
      service.clock.nowMs += 1000;
      expect((await list(token)).statusCode).toBe(200);
      find = undefined;
      const [record] = await service.stores.accountStore.listTokens();
      await revokeToken(service.stores, testActor, record?.id ?? "");
      service.clock.nowMs += 1000;
      expect((await list(token)).statusCode).toBe(401);
    });
  });

  describe("/metrics", () => {
    const metrics = (headers = {}) => service.app.inject({ url: "/metrics", headers });

    it("is open to everybody by default", async () => {
      await start();
      expect((await metrics()).statusCode).toBe(200);
    });

    it("requires METRICS_TOKEN if it is set", async () => {
      const token = "a-token-of-24-characters";
      await start({ environment: { METRICS_TOKEN: token } });
      for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: token }]) {
        const refused = await metrics(headers);
        expect(refused.statusCode).toBe(401);
        expect(refused.headers["www-authenticate"]).toMatch(/^Bearer/);
        expect(refused.json()).toMatchObject({ code: "unauthorized", requestId: expect.any(String) });
      }
      const given = await metrics({ authorization: `Bearer ${token}` });
      expect(given.statusCode).toBe(200);
      expect(given.body).toContain("product_search_http_requests_total");
    });
  });

  describe("the audit log", () => {
    it("shows who did what to tokens and webhooks, when and from where", async () => {
      await start();
      const token = await service.token({ scopes: ["webhooks"], account: "acme" });
      const call = (method: "POST" | "DELETE", url: string, payload?: object) =>
        service.app.inject({
          method,
          url: `/api/v1${url}`,
          remoteAddress: "203.0.113.7",
          headers: { authorization: `Bearer ${token}` },
          ...(payload && { payload }),
        });
      const created = await call("POST", "/webhooks", {
        webhookUrl: "https://8.8.8.8/hook?secret=1",
        webhookType: "price.alert",
      });
      const { id, parentId } = created.json().data;
      service.clock.nowMs += 1000;
      await call("POST", `/webhooks/${id}/rotate-key`, { revokeFormer: true });
      await call("POST", `/webhooks/${id}/enable`);
      await call("DELETE", `/webhooks/${id}`);
      await call("DELETE", `/webhooks/${id}`);
      const [record] = await service.stores.accountStore.listTokens();
      if (record === undefined) throw new Error("There is no token.");
      await revokeToken(service.stores, testActor, record.id);
      await revokeToken(service.stores, testActor, record.id);

      const { entries } = await service.stores.auditLog.list({ limit: 100 });
      const request = { kind: "token", tokenId: record.id, accountId: parentId, address: "203.0.113.7" };
      const startMs = Date.parse("2026-11-20T12:00:00Z");
      expect(entries.toReversed()).toEqual([
        {
          atMs: startMs,
          action: "token.created",
          subject: record.id,
          details: { account: "acme", scopes: "webhooks" },
          actor: testActor,
        },
        {
          atMs: startMs,
          action: "webhook.created",
          subject: id,
          details: { webhookType: "price.alert" },
          actor: request,
        },
        {
          atMs: startMs + 1000,
          action: "webhook.key_rotated",
          subject: id,
          details: { revokeFormer: true },
          actor: request,
        },
        { atMs: startMs + 1000, action: "webhook.enabled", subject: id, details: {}, actor: request },
        { atMs: startMs + 1000, action: "webhook.deleted", subject: id, details: {}, actor: request },
        { atMs: startMs + 1000, action: "token.revoked", subject: record.id, details: {}, actor: testActor },
      ]);
      expect(JSON.stringify(entries)).not.toContain("secret");
    });

    it("has one entry for a request repeated with its Idempotency-Key, and none for a failed one", async () => {
      await start();
      const token = await service.token({ scopes: ["webhooks"] });
      const create = (webhookUrl: string) =>
        service.app.inject({
          method: "POST",
          url: "/api/v1/webhooks",
          headers: { authorization: `Bearer ${token}`, "idempotency-key": webhookUrl },
          payload: { webhookUrl, webhookType: "price.alert" },
        });
      for (let time = 0; time < 3; time++) await create("https://8.8.8.8/hook");
      expect((await create("https://127.0.0.1/hook")).statusCode).toBe(400);
      const { entries } = await service.stores.auditLog.list({ limit: 100 });
      expect(entries.map(({ action }) => action)).toEqual(["webhook.created", "token.created"]);
    });
  });

  it("shows when a token was last used", async () => {
    await start();
    const token = await service.token();
    service.clock.nowMs += 5000;
    await list(token);
    await service.app.close();
    expect(await service.stores.accountStore.listTokens()).toMatchObject([
      { lastUsedAtMs: service.clock.nowMs },
    ]);
  });
});

describe("cors", async () => {
  const origin = "https://shop.example";
  const service = await createTestService({
    environment: { CORS_ORIGINS: origin, TRIAL_RATE_LIMIT: "1/60" },
  });
  afterAll(() => service.close());

  const preflight = (from: string) =>
    service.app.inject({
      method: "OPTIONS",
      url: "/api/v1/webhooks",
      headers: { origin: from, "access-control-request-method": "POST" },
    });

  it("responds to preflight requests before it checks methods and limits", async () => {
    for (let count = 0; count < 3; count++) {
      const response = await preflight(origin);
      expect(response.statusCode).toBe(204);
      expect(response.headers["access-control-allow-origin"]).toBe(origin);
      expect(response.headers["access-control-allow-methods"]).toBe("GET, POST, PUT, DELETE");
    }
  });

  it("lets only the listed origin read error responses", async () => {
    const refused = async (from: string) =>
      (await service.app.inject({ url: "/api/v1/nosuch", headers: { origin: from } })).headers;
    expect((await refused(origin))["access-control-allow-origin"]).toBe(origin);
    expect((await refused("https://other.example"))["access-control-allow-origin"]).toBeUndefined();
  });
});

describe("page limit", () => {
  const metricsToken = "a-token-of-24-characters";
  let service: TestService;
  const start = async (environment: Record<string, string> = {}) => {
    service = await createTestService({
      environment: { PAGE_RATE_LIMIT: "3/60", METRICS_TOKEN: metricsToken, ...environment },
    });
  };
  afterEach(() => service?.close());

  const get = (url: string, remoteAddress = "203.0.113.7", headers: Record<string, string> = {}) =>
    service.app.inject({ url, remoteAddress, headers });
  const statuses = async (urls: readonly string[], headers = {}) => {
    const received: number[] = [];
    for (const url of urls) received.push((await get(url, undefined, headers)).statusCode);
    return received;
  };
  const repeat = (url: string, times: number) => new Array<string>(times).fill(url);

  describe("the limit of pages by address", () => {
    it.each([
      "/brands/nosuch",
      "/products/nosuch",
      "/openapi.json",
      "/openapi.yaml",
      "/openapi-3.1.json",
      "/docs/",
      "/images/nosuch.jpg",
      "/robots.txt",
      "/llms.txt",
      "/sitemap.xml",
      "/sitemaps/1.xml",
      "/.well-known/ucp",
    ])("holds for %s", async (url) => {
      await start();
      const received = await statuses(repeat(url, 3));
      expect(received).not.toContain(429);
      const limited = await get(url);
      expect(limited.statusCode).toBe(429);
      expect(Number(limited.headers["retry-after"])).toBeGreaterThan(0);
      expect(limited.headers["ratelimit-policy"]).toBe('"page";q=3;w=60');
      expect(limited.json()).toMatchObject({ code: "rate_limited", requestId: expect.any(String) });
      expect((await get(url, "203.0.113.8")).statusCode).not.toBe(429);
    });

    it("is one limit for all pages, with HEAD, and with the next window it begins again", async () => {
      await start();
      const head = await service.app.inject({
        method: "HEAD",
        url: "/openapi.json",
        remoteAddress: "203.0.113.7",
      });
      expect(head.statusCode).toBe(200);
      expect(await statuses(["/brands/nosuch", "/docs/", "/openapi.yaml"])).toEqual([404, 200, 429]);
      service.clock.nowMs += 60_000;
      expect(await statuses(["/openapi.yaml"])).toEqual([200]);
    });

    it("is a bucket of its own: searches and unknown paths go on, and health checks are free", async () => {
      await start({ TRIAL_RATE_LIMIT: "5/60" });
      await statuses(repeat("/openapi.json", 4));
      expect(await statuses(["/api/v1/search/trial?q=mug", "/nosuch"])).toEqual([200, 404]);
      expect(await statuses([...repeat("/healthz", 10), ...repeat("/readyz", 10)])).toEqual(
        new Array(20).fill(200),
      );
      expect(await statuses(repeat("/nosuch", 4))).toEqual([404, 404, 404, 429]);
    });

    it("lets a crawler read a large sitemap by default, and can be turned off", async () => {
      await start({ PAGE_RATE_LIMIT: "" });
      expect(service.config.pageRateLimit).toEqual({ requests: 1200, seconds: 60 });
      await service.close();
      await start({ PAGE_RATE_LIMIT: "0" });
      expect(await statuses(repeat("/brands/nosuch", 10))).toEqual(new Array(10).fill(404));
    });
  });

  describe("/metrics", () => {
    const right = { authorization: `Bearer ${metricsToken}` };

    it("limits wrong tokens by address, and never the right one", async () => {
      await start();
      const wrong = { authorization: "Bearer wrong" };
      expect(await statuses(repeat("/metrics", 5), wrong)).toEqual([401, 401, 401, 429, 429]);
      expect(await statuses(repeat("/metrics", 5), right)).toEqual(new Array(5).fill(200));
      // They are in the bucket of pages.
      expect((await get("/openapi.json")).statusCode).toBe(429);
    });

    it("limits everybody if no token is set, because gathering metrics is work for all threads", async () => {
      await start({ METRICS_TOKEN: "" });
      expect(await statuses(repeat("/metrics", 4))).toEqual([200, 200, 200, 429]);
    });

    it("does the same on a port of its own", async () => {
      await start();
      const settings: MetricsServerSettings = {
        host: "127.0.0.1",
        port: 0,
        token: metricsToken,
        metrics: async () => "up 1\n",
        limiter: createRateLimiter(createRateMemory(64), () => 0),
        pageRateLimit: { requests: 3, seconds: 60 },
      };
      const server = await startMetricsServer(settings);
      const ask = (headers: Record<string, string>) =>
        fetch(`http://127.0.0.1:${server.port}/metrics`, { headers });
      const received: number[] = [];
      for (let count = 0; count < 5; count++) received.push((await ask({})).status);
      expect(received).toEqual([401, 401, 401, 429, 429]);
      expect((await ask({})).headers.get("retry-after")).toBe("60");
      for (let count = 0; count < 5; count++) expect((await ask(right)).status).toBe(200);
      await server.close();
    });
  });
});

describe("public tokens", () => {
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
      for (let count = 0; count < 40; count++)
        statuses.push((await ask(token, {}, "203.0.113.7")).statusCode);
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
});
