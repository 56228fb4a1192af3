import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "replaceRule";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

const replace = (ruleId: string, body: object) => service.call("PUT", `/rules/${ruleId}`, body);

describe("200", () => {
  it("stores the rule anew, at its place", async () => {
    const { id: ruleId, updatedAt } = await service.createRule(rule);
    await service.createRule(rule);
    const response = await replace(ruleId, { ...rule, name: "Other", hide: ["p_2"], updatedAt });
    expectDocumented(id, 200, response);
    expect(response.json().rule).toMatchObject({ id: ruleId, name: "Other", hide: ["p_2"] });
    expect((await service.call("GET", "/rules")).json().rules[0].name).toBe("Other");
  });
});

describe("400", () => {
  it("without updatedAt", async () => {
    expectInvalid(id, /updatedAt/, await replace("rule_0", rule));
  });
});

describe("404", () => {
  it("for a rule that does not exist", async () => {
    const response = await replace("rule_0", { ...rule, updatedAt: "2026-11-20T12:00:00Z" });
    expectDocumented(id, 404, response);
    expect(response.json().code).toBe("rule_not_found");
  });
});

describe("409", () => {
  it("when somebody has changed the rule meanwhile, which stays as it is", async () => {
    const { id: ruleId, updatedAt } = await service.createRule(rule);
    await replace(ruleId, { ...rule, name: "Theirs", updatedAt });
    const response = await replace(ruleId, { ...rule, name: "Mine", updatedAt });
    expectDocumented(id, 409, response);
    expect(response.json().code).toBe("rule_changed");
    const { rules } = (await service.call("GET", "/rules")).json();
    expect(rules.map(({ name }: { name: string }) => name)).not.toContain("Mine");
  });
});
