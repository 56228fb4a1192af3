import { fakeMugs } from "@product-search/testing/fake-products.ts";
import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "previewRule";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

const preview = (body: object) => service.call("POST", "/rules/preview", body);
const idsOf = (products: { _id: string }[]) => products.map(({ _id }) => _id);

describe("200", () => {
  it("shows the first products without and with the rule, and stores nothing", async () => {
    await service.stores.catalogStore.apply(fakeMugs("catalog", 5));
    await service.indexed();
    const { before: mugs } = (await preview({ rule, q: "mug" })).json();
    const last = mugs.at(-1)._id;
    const tried = { name: "Last first", when: { query: "mug" }, pin: [{ productId: last, position: 1 }] };
    const outside = { ...tried, enabled: false, from: "2030-01-01T00:00:00Z" };
    const response = await preview({ rule: outside, q: "mug" });
    expectDocumented(id, 200, response);
    const { before, after } = response.json();
    expect(idsOf(before)).toEqual(idsOf(mugs));
    expect(idsOf(after)).toEqual([last, ...idsOf(mugs).filter((one) => one !== last)]);
    expect((await service.call("GET", "/rules")).json().rules).toEqual([]);
  });

  it("tries a rule in the place of a stored one", async () => {
    const { before: mugs } = (await preview({ rule, q: "mug" })).json();
    const [first, second] = idsOf(mugs);
    const hiding = { name: "Hide", when: { query: "mug" }, hide: [first] };
    const { id: ruleId } = await service.createRule(hiding);
    const response = await preview({ rule: { ...hiding, hide: [second] }, ruleId, q: "mug", count: 3 });
    const { before, after } = response.json();
    expect([before.length, after.length]).toEqual([3, 3]);
    expect(idsOf(before)).not.toContain(first);
    expect(idsOf(after)).toContain(first);
    expect(idsOf(after)).not.toContain(second);
  });
});

describe("400", () => {
  it("without a text and without a filter", async () => {
    expectInvalid(id, /q: is missing/, await preview({ rule }));
  });
});

describe("404", () => {
  it("in the place of a rule that does not exist", async () => {
    expectDocumented(id, 404, await preview({ rule, ruleId: "rule_0", q: "mug" }));
  });
});

describe("409", () => {
  it("for a rule that could not be stored", async () => {
    const boost = Array.from({ length: 11 }, (_, i) => ({
      productIds: Array.from({ length: 200 }, (_, j) => `p_${i * 200 + j}`),
      factor: 2,
    }));
    const rule = { name: "Large", when: { query: "mug" }, boost };
    const response = await service.call("POST", "/rules/preview", { rule, q: "mug" });
    expectDocumented(id, 409, response);
  });
});
