import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "orderRules";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

const order = (ids: readonly string[]) => service.call("PUT", "/rules/order", { ids });

describe("200", () => {
  it("puts the named rules first", async () => {
    const [first, second, third] = [
      await service.createRule(rule),
      await service.createRule(rule),
      await service.createRule(rule),
    ].map((one) => one.id);
    const response = await order([third ?? "", first ?? ""]);
    expectDocumented(id, 200, response);
    expect(response.json().rules.map((one: { id: string }) => one.id)).toEqual([third, first, second]);
  });
});

describe("400", () => {
  it("for a rule that is named twice", async () => {
    expectInvalid(id, /ids/, await order(["rule_0", "rule_0"]));
  });
});

describe("404", () => {
  it("for a rule that does not exist, and orders nothing", async () => {
    const before = (await service.call("GET", "/rules")).json().rules;
    expectDocumented(id, 404, await order([before[1].id, "rule_0"]));
    expect((await service.call("GET", "/rules")).json().rules).toEqual(before);
  });
});
