import { english, includedLanguages } from "@product-search/text-index";
import { expect, test } from "vitest";
import type { RuleDefinition, StoredRule } from "../../ports/merchandising.ts";
import { createRuleTable } from "./rule-table.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");

function stored(id: string, definition: Partial<RuleDefinition> & Pick<RuleDefinition, "when">): StoredRule {
  return { id, definition: { name: id, ...definition }, createdAtMs: 0, updatedAtMs: 0 };
}

const find = (rules: readonly StoredRule[], text: string, categories: readonly string[] = []) =>
  createRuleTable(rules, [english, includedLanguages.de])
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
  ["winter boot", ["is", "contains"]],
  ["winter bots", []],
])("compares whole words as the index does: %s", (text, ids) => {
  const rules = [
    stored("is", { when: { query: "winter boots" } }),
    stored("contains", { when: { query: "WINTER-BOOTS", match: "contains" } }),
  ];
  expect(find(rules, text)).toEqual(ids);
});

test("compares words in each language of the catalog", () => {
  const rules = [stored("one", { when: { query: "Tücher" } })];
  expect(find(rules, "Tuch")).toEqual(["one"]);
});

test.each([
  ["c++", ["c++", "contains c++"]],
  ["C++,", ["c++", "contains c++"]],
  ["c", ["c"]],
  ["c#", []],
  ["learn c++ now", ["contains c++"]],
  ["learn c now", []],
  ["net", []],
  [".NET", [".net"]],
  ["#sale", []],
  ["c++ / c", ["contains c++"]],
  ['3.5" jack', ["3.5 in jack"]],
])("a word of signs is only itself: %s", (text, ids) => {
  const rules = [
    stored("c++", { when: { query: "c++" } }),
    stored("c", { when: { query: "c" } }),
    stored(".net", { when: { query: ".net" } }),
    stored("sale", { when: { query: "sale" } }),
    stored("3.5 in jack", { when: { query: "3.5 in jack" } }),
    stored("contains c++", { when: { query: "c++", match: "contains" } }),
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

test.each([
  ["Lighting", ["name", "path"]],
  ["Home & Garden > Lighting", ["top", "name", "path"]],
  ["home &  garden  >  LIGHTING", ["top", "name", "path"]],
  ["Home & Garden > Lighting > Desk lamps", ["top", "name", "path"]],
  ["Home & Garden", ["top"]],
  ["Office > Lighting", ["name"]],
  ["Light", []],
])("compares categories as the filter does: %s", (category, ids) => {
  const rules = [
    stored("top", { when: { categories: ["Home & Garden"] } }),
    stored("name", { when: { categories: ["Lighting"] } }),
    stored("path", { when: { query: "lamp", categories: ["Home & Garden > Lighting"] } }),
  ];
  expect(find(rules, "lamp", [category])).toEqual(ids);
});

test("a rule without a condition acts on every search", () => {
  const rules = [stored("boots", { when: { query: "boots" } }), stored("every", { when: {} })];
  expect(find(rules, "")).toEqual(["every"]);
  expect(find(rules, "boots", ["Shoes"])).toEqual(["boots", "every"]);
});

test("reads no rule of other words or categories", () => {
  let reads = 0;
  const others = [
    { query: "boots", categories: ["Hats"] },
    { query: "boots", match: "contains" as const, categories: ["Hats > Caps"] },
    { query: "red boots" },
    { categories: ["Hats"] },
  ].map((when) => {
    const rule = stored("other", { when });
    const { definition } = rule;
    return Object.defineProperty(rule, "definition", {
      get() {
        reads += 1;
        return definition;
      },
    });
  });
  const table = createRuleTable([...others, stored("boots", { when: { query: "boots" } })], [english]);
  reads = 0;
  expect(table.find({ text: "boots", categories: ["Shoes > Boots"] }, nowMs).map(({ id }) => id)).toEqual([
    "boots",
  ]);
  expect(reads).toBe(0);
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
