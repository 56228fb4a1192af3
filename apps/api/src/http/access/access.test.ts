import { ApiError } from "@product-search/core/errors.ts";
import type { AccountStore } from "@product-search/core/ports/accounts.ts";
import { revokeToken } from "@product-search/features/accounts/accounts.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createTestService,
  type TestService,
  type TestServiceOptions,
  testActor,
} from "../../../testing/test-service.ts";

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
