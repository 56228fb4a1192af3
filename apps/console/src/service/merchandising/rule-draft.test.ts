import type { RuleRequest } from "@product-search/client";
import { describe, expect, it } from "vitest";
import { emptyDraft, toDraft, toRequest } from "./rule-draft.ts";
import { actionTexts, conditionText, differencesOf, stateOf } from "./rule-text.ts";

const whole: RuleRequest = {
  name: "Winter",
  enabled: false,
  when: { query: "boots", match: "contains", categories: ["Shoes"] },
  pin: [{ productId: "p1", position: 2 }],
  hide: ["p2"],
  boost: [
    { brands: ["Nordlys"], factor: 2 },
    { attributes: { color: ["Black", "12:30"], "a:b": ["c"] }, factor: 1.5 },
    { productIds: ["p3", "p4"], categories: ["Bags"], factor: 0.5 },
  ],
  replaceQuery: "winter boots",
  redirectUrl: "https://shop.example/sale",
  from: "2026-11-27T00:00:00.000Z",
  until: "2026-11-28T12:30:15.000Z",
};

describe("a rule in the form", () => {
  it("is the same rule when nothing was changed", () => {
    expect(toRequest(toDraft(whole))).toEqual(whole);
    const least: RuleRequest = { name: "x", enabled: true, when: { query: "mug", match: "is" } };
    expect(toRequest(toDraft(least))).toEqual(least);
  });

  it("leaves out what is empty, and is called after its condition", () => {
    const boost = [{ brands: [], categories: [], attributes: [], productIds: [], factor: 3 }];
    const draft = { ...emptyDraft, query: " mug ", redirectUrl: "  ", boost };
    expect(toRequest(draft)).toEqual({ name: "mug", enabled: true, when: { query: "mug", match: "is" } });
    expect(toRequest({ ...emptyDraft, categories: ["Shoes"] }).name).toBe("Shoes");
  });
});

describe("a rule in words", () => {
  it("says when it applies and what it does", () => {
    expect(conditionText(whole)).toBe("contains “boots” · in Shoes");
    expect(actionTexts(whole)).toEqual([
      "1 pinned",
      "1 hidden",
      "Nordlys ×2",
      "Color: Black, 12:30, A:b: c ×1.5",
      "Bags, 2 products ×0.5",
      "searches for “winter boots”",
      "opens https://shop.example/sale",
    ]);
  });

  it("names the members in which two versions differ", () => {
    const other = { ...whole, name: "Summer", pin: [], enabled: true };
    expect(differencesOf(whole, other)).toEqual([
      { member: "Name", before: "Winter", after: "Summer" },
      { member: "Enabled", before: "no", after: "yes" },
      { member: "Pinned", before: "2: p1", after: "" },
    ]);
    expect(differencesOf(whole, { ...whole })).toEqual([]);
  });

  it.each([
    [{ enabled: false, from: "2026-01-01T00:00:00Z" }, "off"],
    [{ enabled: true, from: "2026-06-01T00:00:00Z" }, "later"],
    [{ enabled: true, until: "2026-03-01T00:00:00Z" }, "over"],
    [{ enabled: true, from: "2026-02-01T00:00:00Z", until: "2026-04-01T00:00:00+02:00" }, "on"],
  ] as const)("%o is %s", (rule, state) => {
    expect(stateOf(rule, Date.parse("2026-03-01T00:00:00Z"))).toBe(state);
  });
});
