import { describe, expect, it } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

const mock = await startMock();
const call = createCall(mock);
const prefer = (preference: string) => ({ headers: { prefer: preference } });

describe("a preference chooses the response of a mock with state, too:", () => {
  it("a status", async () => {
    expect(await call("/search/trial?q=mug", prefer("code=429"))).toMatchObject({
      status: 429,
      body: { code: "rate_limited" },
    });
  });

  it.each([
    [429, "12 seconds", "12"],
    [503, "5 seconds", "5"],
  ])("%i, whose headers say the same as its text", async (status, text, retryAfter) => {
    const chosen = await fetch(`${mock.baseUrl}/search/catalog?q=mug`, {
      headers: { authorization: "Bearer t", prefer: `code=${status}` },
    });
    expect(chosen.status).toBe(status);
    expect(await chosen.text()).toContain(text);
    expect(chosen.headers.get("retry-after")).toBe(retryAfter);
    if (status === 429) {
      expect(chosen.headers.get("ratelimit")).toBe(`"token";r=0;t=${retryAfter}`);
      expect(chosen.headers.get("ratelimit-policy")).toBe('"token";q=3000;w=60');
    }
  });

  it("an example", async () => {
    expect(await call("/search/marketplace-b?q=mug", prefer("example=none"))).toMatchObject({
      status: 200,
      body: { Products: [], count: 0 },
    });
  });

  it("made-up data", async () => {
    const chosen = await call("/search/trial?q=mug", prefer("dynamic=true, seed=7"));
    expect(chosen).toMatchObject({ status: 200, body: { status: "success" } });
  });

  it("a delay", async () => {
    const startedAt = performance.now();
    expect((await call("/search/trial?q=mug", prefer("delay=300"))).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(299);
  });
});

it.each([
  "return=minimal",
  "code=many",
  "dynamic=maybe",
  "delay=soon",
  "fault=fire",
  "example=many",
  "code=504",
])("refuses the preference %s", async (preference) => {
  expect(await call("/search/trial?q=mug", prefer(preference))).toMatchObject({
    status: 400,
    body: { code: "invalid_request", message: expect.stringMatching(/^Prefer: /) },
  });
});

describe("a fault on demand:", () => {
  const ask = (fault: string, signal?: AbortSignal) =>
    fetch(`${mock.baseUrl}/search/trial?q=lamp`, {
      headers: { prefer: `fault=${fault}` },
      ...(signal && { signal }),
    });

  it("timeout gives no response", async () => {
    await expect(ask("timeout", AbortSignal.timeout(300))).rejects.toThrow("timeout");
  });

  it("reset ends the connection", async () => {
    await expect(ask("reset")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  });

  it("malformed gives half of the JSON", async () => {
    const response = await ask("malformed");
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toMatch(/^\{"status":"success"/);
    expect(() => JSON.parse(text)).toThrow();
  });

  it("slow gives all of it, bit by bit", async () => {
    const startedAt = performance.now();
    const response = await ask("slow");
    const headersAfterMs = performance.now() - startedAt;
    expect(await response.json()).toMatchObject({ status: "success" });
    expect(performance.now() - startedAt - headersAfterMs).toBeGreaterThan(1000);
  });
});

describe("the message of a refusal names the field:", () => {
  it.each([
    ["/search/marketplace-a?q=mug&count=300", /^count: .*too large/],
    ["/search/trial", /^q: is missing/],
    ["/search/trial?q=mug&colour=red", /^"?colour"?: /],
    ["/search/trial?q=mug&priceRange=[9,1]", /^priceRange: /],
    ["/search/catalog?count=5", /^q: /],
    ["/search/marketplace-a?q=mug&page=100&count=250", /^page/],
  ] as const)("%s", async (path, message) => {
    expect(await call(path)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
  });
});
