import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "deleteRule";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

describe("200", () => {
  it("deletes the rule, and records that in the audit log", async () => {
    const { id: ruleId } = await service.createRule(rule);
    expectDocumented(id, 200, await service.call("DELETE", `/rules/${ruleId}`));
    expect((await service.call("GET", "/rules")).json().rules).toEqual([]);
    const { entries } = await service.stores.auditLog.list({ limit: 1 });
    expect(entries).toMatchObject([{ action: "rule.deleted", subject: ruleId }]);
  });
});

describe("404", () => {
  it("for a rule that does not exist", async () => {
    expectDocumented(id, 404, await service.call("DELETE", "/rules/rule_0"));
  });
});
