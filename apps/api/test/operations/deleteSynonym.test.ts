import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "deleteSynonym";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["merchandising"] });
});
afterAll(() => service.close());

const call = (method: "POST" | "DELETE", query: Record<string, string>, payload?: object) =>
  service.app.inject({
    method,
    url: "/api/v1/synonyms",
    query,
    headers: { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  });
const remove = (rule: string) => call("DELETE", { rule });

describe("200", () => {
  it("removes an included rule, which stays in the list, and records that in the audit log", async () => {
    const response = await remove("sofa, couch, settee");
    expectDocumented(id, 200, response);
    const rule = "couch, settee, sofa";
    expect(response.json()).toEqual({ status: "success", synonym: { rule, origin: "removed" } });
    const { entries } = await service.stores.auditLog.list({ limit: 1 });
    expect(entries).toMatchObject([{ action: "synonym.removed", subject: rule }]);
  });

  it("removes an added rule for good", async () => {
    await call("POST", {}, { rule: "plank => shelf" });
    const response = await remove("plank => shelf");
    expect(response.json().synonym).toEqual({ rule: "plank => shelf", origin: "added" });
    expectDocumented(id, 404, await remove("plank => shelf"));
  });
});

describe("400", () => {
  it("for text that is no rule", async () => {
    expectInvalid(id, /is not a rule/, await remove("couch"));
  });

  it("without a rule", async () => {
    expectInvalid(id, /rule/, await call("DELETE", {}));
  });
});

describe("404", () => {
  it("for a rule that does not exist, naming similar ones", async () => {
    const response = await remove("lamp, sofa");
    expectDocumented(id, 404, response);
    expect(response.json()).toMatchObject({ status: "error", code: "rule_not_found" });
  });
});
