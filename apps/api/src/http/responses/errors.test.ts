import { operations as table } from "@product-search/spec/operations";
import { exampleRequest, expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
  token = await service.token();
});
afterAll(() => service.close());

const operations = Object.values(table);

describe("404", () => {
  it("uses the search envelope for an unknown path", async () => {
    const response = await service.app.inject("/api/v1/nope?secret=1");
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({
      status: "error",
      code: "not_found",
      requestId: response.headers["x-request-id"],
    });
    expect(response.body).not.toContain("secret");
  });

  it.each(["/api/v1/webhooks/a/b/c", "/api/v1/webhooks/w/nope?x=1"])(
    "uses the webhook envelope for %s",
    async (path) => {
      const response = await service.app.inject(path);
      expect(response.statusCode).toBe(404);
      expect(response.json()).toMatchObject({ success: false, message: "Not found", code: "not_found" });
    },
  );

  it("does not use it for a path that only begins like /webhooks", async () => {
    expect((await service.app.inject("/api/v1/webhooksx")).json()).toMatchObject({ status: "error" });
  });

  it.each(["/api/v1/search/%zz", "/%"])("answers the malformed path %s", async (path) => {
    expect((await service.app.inject(path)).json()).toMatchObject({ status: "error", code: "not_found" });
  });
});

describe("503", () => {
  it.each(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "ENOSPC", "53100"])(
    "is returned for a change when the disk is full: %s",
    async (code) => {
      const full = await createTestService({
        handlers: (handlers) => ({
          ...handlers,
          createWebhook: () => Promise.reject(Object.assign(new Error("database or disk is full"), { code })),
        }),
      });
      const response = await full.app.inject(exampleRequest("createWebhook", await full.token()));
      expectDocumented("createWebhook", 503, response);
      expect(response.headers["retry-after"]).toBe("30");
      expect(response.json().error).toContain("no disk space");
      await full.close();
    },
  );

  it.each(["55P03", "57014", "40P01"])(
    "is returned when PostgreSQL has rolled the change back: %s",
    async (code) => {
      const busy = await createTestService({
        handlers: (handlers) => ({
          ...handlers,
          createWebhook: () => Promise.reject(Object.assign(new Error("canceling statement"), { code })),
        }),
      });
      const response = await busy.app.inject(exampleRequest("createWebhook", await busy.token()));
      expectDocumented("createWebhook", 503, response);
      expect(response.headers["retry-after"]).toBe("2");
      expect(response.json().error).toContain("Send the request again.");
      await busy.close();
    },
  );
});

describe("tokens", () => {
  const search = (authorization: string) =>
    service.app.inject({ url: "/api/v1/search/marketplace-a", headers: { authorization } });

  it("expire", async () => {
    const short = await service.token({ lifetimeMs: 60_000 });
    expect((await search(`Bearer ${short}`)).statusCode).toBe(400);
    service.clock.nowMs += 60_001;
    expect((await search(`Bearer ${short}`)).json()).toMatchObject({
      code: "unauthorized",
      message: expect.stringContaining("expired"),
    });
  });

  it("stop working within a second when revoked", async () => {
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
      const response = await service.app.inject({ ...example, headers });
      expectDocumented(operationId, 400, response);
      expect(response.body).toContain("Idempotency-Key: is too");
    }
  });
});
