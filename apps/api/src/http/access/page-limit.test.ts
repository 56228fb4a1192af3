import { createRateLimiter, createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import { afterEach, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";
import { type MetricsServerSettings, startMetricsServer } from "../metrics-server.ts";

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
