import { expect, test } from "vitest";
import type { RuleDefinition, StoredRule } from "../../ports/rule-store.ts";
import { createRuleTable } from "./rule-table.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");

function stored(id: string, definition: Partial<RuleDefinition> & Pick<RuleDefinition, "when">): StoredRule {
  return { id, definition: { name: id, ...definition }, createdAtMs: 0, updatedAtMs: 0 };
}

const find = (rules: readonly StoredRule[], text: string, categories: readonly string[] = []) =>
  createRuleTable(rules)
    .find({ text, categories }, nowMs)
    .map(({ id }) => id);

test.each([
  ["Winter  Boots!", ["is", "contains"]],
  ["winter boots for kids", ["contains"]],
  ["warm winter, boots", ["contains"]],
  ["winterboots", []],
  ["boots winter", []],
  ["winter", []],
  ["Wintér boots", ["is", "contains"]],
])("compares whole words after folding: %s", (text, ids) => {
  const rules = [
    stored("is", { when: { query: "winter boots" } }),
    stored("contains", { when: { query: "WINTER-BOOTS", match: "contains" } }),
  ];
  expect(find(rules, text)).toEqual(ids);
});

test("compares the categories by which a search is filtered", () => {
  const rules = [
    stored("any", { when: { categories: ["Shoes", "Bóots"] } }),
    stored("both", { when: { query: "red", categories: ["boots"] } }),
  ];
  expect(find(rules, "red", ["BOOTS"])).toEqual(["any", "both"]);
  expect(find(rules, "blue", ["shoes"])).toEqual(["any"]);
  expect(find(rules, "red")).toEqual([]);
});

test("keeps the order of the rules, and leaves out those that are off or outside their time", () => {
  const when = { query: "boots" };
  const rules = [
    stored("off", { when, enabled: false }),
    stored("later", { when, from: "2026-11-20T13:00:00+00:00" }),
    stored("now", { when, from: "2026-11-20T12:00:00Z", until: "2026-11-20T14:00:00+02:00" }),
    stored("former", { when, until: "2026-11-20T11:59:59.999Z" }),
    stored("contains", { when: { query: "boots", match: "contains" } }),
    stored("last", { when }),
  ];
  expect(find(rules, "boots")).toEqual(["now", "contains", "last"]);
});

test("a text without words fits no rule", () => {
  expect(find([stored("one", { when: { query: "!" } })], "?")).toEqual([]);
});
