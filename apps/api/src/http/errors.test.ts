import { operations as table } from "@product-search/spec/operations";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exampleRequest, expectDocumented } from "../../testing/spec-check.ts";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
  token = await service.token();
});
afterAll(() => service.close());

const operations = Object.values(table);
const withToken = operations.filter((operation) => operation.scope !== undefined);
const url = (path: string) => `/api/v1${path.replace("{webhook_id}", "w").replace("{delivery_id}", "d")}`;

describe("404", () => {
  it("answers an unknown path in the search style", async () => {
    const answer = await service.app.inject("/api/v1/nope?secret=1");
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({
      status: "error",
      code: "not_found",
      requestId: answer.headers["x-request-id"],
    });
    expect(answer.body).not.toContain("secret");
  });

  it.each(["/api/v1/webhooks/a/b/c", "/api/v1/webhooks/w/nope?x=1"])(
    "answers %s in the webhook style",
    async (path) => {
      const answer = await service.app.inject(path);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ success: false, message: "Not found", code: "not_found" });
    },
  );

  it("does not take a path that only begins like the webhooks for one of theirs", async () => {
    expect((await service.app.inject("/api/v1/webhooksx")).json()).toMatchObject({ status: "error" });
  });

  it.each(["/api/v1/search/%zz", "/%"])("answers the malformed path %s", async (path) => {
    expect((await service.app.inject(path)).json()).toMatchObject({ status: "error", code: "not_found" });
  });
});

describe("503", () => {
  it("is the answer to a change that the disk has no room for", async () => {
    const full = await createTestService({
      handlers: (handlers) => ({
        ...handlers,
        createWebhook: () =>
          Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" })),
      }),
    });
    const answer = await full.app.inject(exampleRequest("createWebhook", await full.token()));
    expectDocumented("createWebhook", 503, answer);
    expect(answer.headers["retry-after"]).toBe("30");
    expect(answer.json().error).toContain("no disk space");
    await full.close();
  });
});

describe("405", () => {
  it.each(operations.map(({ path, operationId }) => [operationId, path]))(
    "on the path of %s",
    async (_, path) => {
      const allowed = operations.filter((one) => one.path === path).map((one) => one.method);
      const answer = await service.app.inject({ method: "PATCH", url: url(path), payload: "{" });
      expect(answer.statusCode).toBe(405);
      expect(answer.headers.allow).toBe(allowed.join(", "));
      expect(answer.json()).toMatchObject({ code: "method_not_allowed" });
    },
  );
});

describe.each(withToken)("$operationId", ({ operationId, method, path, scope }) => {
  const request = (headers: Record<string, string>) =>
    service.app.inject({
      method: method === "GET" ? "GET" : method === "POST" ? "POST" : "DELETE",
      url: url(path),
      headers,
    });

  it.each([
    ["no token", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["no value", { authorization: "Bearer" }],
    ["two values", { authorization: "Bearer a b" }],
    ["no token's form", { authorization: "Bearer abc" }],
    ["a wrong checksum", { authorization: `Bearer pss_${"a".repeat(36)}` }],
  ])("is 401 with %s", async (_, headers) => {
    const answer = await request(headers);
    expectDocumented(operationId, 401, answer);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer/);
  });

  it("is 403 without the scope", async () => {
    const other = await service.token({ scopes: [scope === "search" ? "webhooks" : "search"] });
    const answer = await request({ authorization: `Bearer ${other}` });
    expectDocumented(operationId, 403, answer);
    expect(answer.headers["www-authenticate"]).toContain('error="insufficient_scope"');
  });

  it("is 401 before 400", async () => {
    expect((await service.app.inject(`${url(path)}?nonsense=1`)).statusCode).not.toBe(400);
  });

  it("refuses an unknown query parameter", async () => {
    const example = exampleRequest(operationId, token);
    const answer = await service.app.inject({ ...example, query: { ...example.query, nonsense: "1" } });
    expectDocumented(operationId, 400, answer);
    expect(answer.body).toContain("nonsense: is not a parameter");
  });
});

describe("tokens", () => {
  const search = (authorization: string) =>
    service.app.inject({ url: "/api/v1/search/marketplace-a", headers: { authorization } });

  it("end at their time", async () => {
    const short = await service.token({ lifetimeMs: 60_000 });
    expect((await search(`Bearer ${short}`)).statusCode).toBe(400);
    service.clock.nowMs += 60_001;
    expect((await search(`Bearer ${short}`)).json()).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("expired"),
    });
  });

  it("end when revoked, within a second", async () => {
    const lost = await service.token();
    expect((await search(`bearer ${lost}`)).statusCode).toBe(400);
    const record = (await service.stores.accountStore.listTokens()).at(-1);
    await service.stores.accountStore.revokeToken(record?.id ?? "");
    service.clock.nowMs += 1000;
    expect((await search(`Bearer ${lost}`)).json()).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("revoked"),
    });
  });
});

describe("headers of the spec", () => {
  const bounded = operations.filter(({ idempotent }) => idempotent);
  it.each(bounded)("bind $operationId", async ({ operationId }) => {
    const example = exampleRequest(operationId, token);
    for (const key of ["", "k".repeat(256)]) {
      const headers = { ...example.headers, "idempotency-key": key };
      const answer = await service.app.inject({ ...example, headers });
      expectDocumented(operationId, 400, answer);
      expect(answer.body).toContain("Idempotency-Key: is too");
    }
  });
});
