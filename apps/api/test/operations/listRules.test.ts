import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "listRules";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

describe("200", () => {
  it("lists the rules in their order", async () => {
    expect((await service.call("GET", "/rules")).json()).toEqual({ status: "success", rules: [] });
    const first = await service.createRule(rule);
    const second = await service.createRule({ ...rule, enabled: false });
    const response = await service.call("GET", "/rules");
    expectDocumented(id, 200, response);
    expect(response.json().rules).toEqual([first, second]);
  });
});

describe("400", () => {
  it("for a parameter that it does not take", async () => {
    expectInvalid(id, /page/, await service.call("GET", "/rules?page=1"));
  });
});
