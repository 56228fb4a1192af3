import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "listRuleHistory";
const service = await createMerchandisingService();
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

describe("200", () => {
  it("lists the changes of a rule, newest first, also after its deletion", async () => {
    const { id: ruleId, updatedAt } = await service.createRule(rule);
    await service.call("PUT", `/rules/${ruleId}`, { ...rule, name: "Other", updatedAt });
    await service.call("DELETE", `/rules/${ruleId}`);
    const response = await service.call("GET", `/rules/${ruleId}/history`);
    expectDocumented(id, 200, response);
    const { history } = response.json();
    expect(history.map((entry: { change: string }) => entry.change)).toEqual([
      "deleted",
      "replaced",
      "created",
    ]);
    expect(history[1].rule.name).toBe("Other");
  });
});

it("is read in pages, each change once", async () => {
  const { id: ruleId, updatedAt } = await service.createRule(rule);
  let read = updatedAt;
  for (const name of ["a", "b", "c", "d"])
    read = (await service.call("PUT", `/rules/${ruleId}`, { ...rule, name, updatedAt: read })).json().rule
      .updatedAt;
  const pages: string[][] = [];
  for (let cursor = ""; ; ) {
    const response = await service.call("GET", `/rules/${ruleId}/history?limit=2${cursor}`);
    expectDocumented(id, 200, response);
    const { history, nextCursor } = response.json();
    pages.push(history.map((entry: { rule: { name: string } }) => entry.rule.name));
    if (nextCursor === undefined) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(pages).toEqual([["d", "c"], ["b", "a"], ["Boots first"]]);
});

describe("400", () => {
  it.each([
    ["a page of none", "limit=0", /limit/],
    ["a cursor of something else", "cursor=abc", /cursor: is not valid/],
  ])("for %s", async (_, query, message) => {
    expectInvalid(id, message, await service.call("GET", `/rules/rule_0/history?${query}`));
  });

  it("for a parameter that it does not take", async () => {
    expectInvalid(id, /page/, await service.call("GET", "/rules/rule_0/history?page=1"));
  });
});

describe("404", () => {
  it("for a rule that never was", async () => {
    expectDocumented(id, 404, await service.call("GET", "/rules/rule_0/history"));
    const cursor = Buffer.from("before 41").toString("base64url");
    expectDocumented(id, 404, await service.call("GET", `/rules/rule_0/history?cursor=${cursor}`));
  });
});
